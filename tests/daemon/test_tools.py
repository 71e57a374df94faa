"""tools/gpu-daemon, which checks a daemon on devices: how it waits for one, and what it counts against one."""

import importlib.machinery
import importlib.util

from golden_daemon import *  # noqa: F403


def load_tool(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(SOURCE / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@contextlib.contextmanager
def started(config):
    """A daemon as the tool starts one: the tool, the process, its socket."""
    tool = load_tool("gpu-daemon")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "cuzk.toml").write_text(config.format(folder=folder))
        environment = {**os.environ, "XDG_CACHE_HOME": str(folder)}
        daemon, notify = tool.start([CUZK, "--config", str(folder / "cuzk.toml")], environment, folder / "log")
        try:
            yield tool, daemon, notify
        finally:
            daemon.terminate()
            daemon.wait()
            notify.close()
            check_no_report((folder / "log").read_text())


CONFIG = """daemon.listen = "unix://{folder}/cuzk.sock"
gpus.backend = "cpu"
journal.dir = "none"
srs.param_cache = "{folder}"
"""


def test_gpu_daemon_is_told_that_the_daemon_is_ready():
    with started(CONFIG) as (tool, daemon, notify):
        check(tool.wait_until_ready(daemon, notify, PATIENCE), "it is ready")
        check(daemon.poll() is None, "and runs")


def test_gpu_daemon_does_not_wait_for_a_daemon_that_ends():
    start = time.monotonic()
    with started(CONFIG + "nonsense = 1\n") as (tool, daemon, notify):
        check(not tool.wait_until_ready(daemon, notify, PATIENCE), "it does not start")
    check(time.monotonic() - start < PATIENCE / 2, "and that is seen at once")


def test_gpu_daemon_counts_what_no_gpu_took():
    log = ["GPU 0: parameters p are loaded", "parameters of wpost-2k are not on GPU 1: GPU 1 is given up",
           "job=1 partition 3 goes to another device: x", "job=1 partition 3 goes to the CPU: x"]
    check_equal(load_tool("gpu-daemon").on_the_cpu(log), [log[1], log[3]])


if __name__ == "__main__":
    run(globals())
