"""A real daemon for tests: started in a folder of its own, heard, asked, stopped. wire.py says what the environment must
have.
"""
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from wire import CHANNEL_OPTIONS, CUZK, PARAMS, PATIENCE, check_no_report, grpc, health_pb2_grpc, pb, proving_pb2_grpc


class Skip(Exception):
    """This machine cannot run the test; the reason is the message."""


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(toml(v) for v in value) + "]"
    return json.dumps(str(value))


class Daemon:
    """A daemon and its connection. Two ways to say how it is to be:

    settings: {"scheduler.max_queue": 5}, beside those that tests of jobs want: a socket, 4 GiB, the CPU, a journal, all in
    the daemon's folder, and the user's cache of circuits.
    config: the text of its file, as an operator writes it. `listen` is for the command line; its home is its folder.

    faults: as in engine/faults.h; params: the folder of parameters; ready=False: it may fail to start, and is not waited
    for. Arguments that are left go to Popen. The folder stays until close(), which `with` sees to."""

    def __init__(self, settings=None, config=None, listen=None, faults="", params=None, folder=None, env=None, args=(),
                 ready=True, **popen):
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="cuzk-test-"))
        self.own_folder = folder is None
        self.config_file = self.folder / "cuzk.toml"
        self.config, self.args, self.faults, self.env, self.popen = config, list(args), faults, env or {}, popen
        self.params = str(params or PARAMS)
        if config is None:
            self.settings = {
                "daemon.listen": f"unix://{self.folder}/cuzk.sock",
                "daemon.drain_timeout": "60s",
                "srs.param_cache": self.params,
                "memory.total_budget": "4GiB",
                "gpus.backend": "cpu",
                "journal.dir": f"{self.folder}/journal",
                **(settings or {}),
            }
        else:
            self.args += ["--listen", listen or f"unix://{self.folder}/cuzk.sock"]
        self.process = self.channel = self.address = None
        self.lines = []  # all that it has said, every run of it; None: the end of a run
        self.began = 0   # where the last run's begin
        self.heard = threading.Condition()
        try:
            self.start(ready)
        except BaseException:
            self.close()
            raise

    # --- start and end

    def write_config(self):
        if self.config is not None:
            self.config_file.write_text(self.config)
            return
        sections = {}
        for key, value in self.settings.items():
            section, name = key.split(".")
            sections.setdefault(section, []).append(f"{name} = {toml(value)}")
        self.config_file.write_text("".join(f"[{s}]\n" + "\n".join(lines) + "\n" for s, lines in sections.items()))

    def environment(self, notify):
        """Nothing of this process's own session reaches it; `env` comes last."""
        out = {k: v for k, v in os.environ.items() if k not in ("NOTIFY_SOCKET", "FIL_PROOFS_PARAMETER_CACHE")}
        out.update(NOTIFY_SOCKET=notify, CUZK_TEST_FAULTS=self.faults)
        if self.config is not None:
            for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME", "STATE_DIRECTORY", "RUNTIME_DIRECTORY"):
                out.pop(name, None)
            out.update(HOME=str(self.folder), FIL_PROOFS_PARAMETER_CACHE=self.params)
        return {**out, **self.env}

    def start(self, ready=True):
        """Also once more, after its end."""
        self.write_config()
        self.began = len(self.lines)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            name = f"cuzk-test-{os.getpid()}-{id(self)}"
            notify.bind(f"\0{name}")
            self.process = subprocess.Popen([CUZK, "--config", self.config_file, *self.args], stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                            env=self.environment(f"@{name}"), **self.popen)
            self.reader = threading.Thread(target=self.read, args=(self.process.stdout,), daemon=True)
            self.reader.start()
            if not ready:
                return
            self.wait_ready(notify)
        self.connect()

    def wait_ready(self, notify):
        """It says so, and where it listens: to systemd's socket, or where a test has that, in its log."""
        if "NOTIFY_SOCKET" in self.env:
            self.address = self.wait_log(r"listening on (\S+)").group(1)
            return
        ended, until = os.pidfd_open(self.process.pid), time.monotonic() + PATIENCE
        try:
            while True:
                said, _, _ = select.select([notify, ended], [], [], max(0, until - time.monotonic()))
                message = notify.recv(4096).decode() if notify in said else ""
                found = re.search(r"^READY=1\nSTATUS=listening on (\S+)", message, re.M)
                if found:
                    self.address = found.group(1)
                    return
                if ended in said and not message:
                    raise AssertionError(f"the daemon ended with {self.wait()}:\n{self.log()}")
                if not said:
                    raise AssertionError(f"the daemon is not ready after {PATIENCE} s:\n{self.log()}")
        finally:
            os.close(ended)

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, patience=PATIENCE):
        """For its end; the exit status."""
        status = self.process.wait(patience)
        self.reader.join(patience)
        return status

    def stop(self):
        """SIGTERM: it drains and ends; the exit status."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self):
        self.process.kill()
        return self.wait()

    def close(self):
        self.disconnect()
        if self.process is not None and self.process.poll() is None:
            self.kill()
        if self.own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        check_no_report(self.log())

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        """A test that went well ends with an ordinary end: sanitizers report then."""
        if kind is not None and kind is not Skip:
            print(f"--- the daemon's log:\n{self.log()}", file=sys.stderr)
        try:
            if kind is None and self.process.poll() is None:
                status = self.stop()
                assert status == 0, f"the daemon ended with {status}:\n{self.log()}"
        finally:
            self.close()

    # --- what it says

    def read(self, pipe):
        for line in pipe:
            with self.heard:
                self.lines.append(line.decode(errors="replace").rstrip("\n"))
                self.heard.notify_all()
        pipe.close()
        with self.heard:
            self.lines.append(None)
            self.heard.notify_all()

    def said(self, since=None):
        return "\n".join(line for line in self.lines[self.began if since is None else since:] if line is not None)

    def log(self):
        """Of every run."""
        with self.heard:
            return self.said(0)

    def wait_log(self, pattern, patience=PATIENCE):
        """The match of the first line of this run that fits; fails when the daemon ends before."""
        at, until = self.began, time.monotonic() + patience
        with self.heard:
            while True:
                while at < len(self.lines):
                    line = self.lines[at]
                    found = line is not None and re.search(pattern, line)
                    if found:
                        return found
                    assert line is not None, f"the daemon ended without saying '{pattern}':\n" + self.said()
                    at += 1
                assert self.heard.wait(max(0, until - time.monotonic())), f"'{pattern}' is not said:\n" + self.said()

    # --- how it is asked

    def new_channel(self, credentials=None, options=()):
        """A connection of its own."""
        target = self.address.replace("unix://", "unix:")
        options = [*CHANNEL_OPTIONS, ("grpc.use_local_subchannel_pool", 1), *options]
        if credentials is None:
            return grpc.insecure_channel(target, options=options)
        return grpc.secure_channel(target, credentials, options=options)

    def stub(self, **how):
        return proving_pb2_grpc.ProvingEngineStub(self.new_channel(**how))

    def health(self, **how):
        return health_pb2_grpc.HealthStub(self.new_channel(**how))

    def connect(self):
        self.disconnect()
        self.channel = self.new_channel()
        self.rpc = proving_pb2_grpc.ProvingEngineStub(self.channel)

    def disconnect(self):
        if self.channel is not None:
            self.channel.close()
        self.channel = None

    def status(self):
        return self.rpc.GetStatus(pb.GetStatusRequest())

    def metrics(self):
        """{'cuzk_retries_total{proof_kind="porep"}': 1.0, …}"""
        out = {}
        for line in self.rpc.GetMetrics(pb.GetMetricsRequest()).prometheus_text.splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                out[name] = float(value)
        return out

    def counter(self, name, **labels):
        """Sum of the samples of one metric that have these labels."""
        wanted = [f'{k}="{v}"' for k, v in labels.items()]
        return sum(v for k, v in self.metrics().items()
                   if k.split("{")[0] == name and all(w in k for w in wanted))

    # --- what it does

    def submit(self, req):
        return self.rpc.SubmitProof(req).job_id

    def await_job(self, job_id, timeout_ms=PATIENCE * 1000):
        return self.rpc.AwaitProof(pb.AwaitProofRequest(job_id=job_id, timeout_ms=timeout_ms))

    def prove(self, req, timeout=PATIENCE):
        return self.rpc.Prove(pb.ProveRequest(submit=req), timeout=timeout).result

    def cancel(self, job_id):
        return self.rpc.CancelProof(pb.CancelProofRequest(job_id=job_id)).was_running

    def wait_for(self, what, condition, patience=PATIENCE):
        """Until condition() is true."""
        until = time.monotonic() + patience
        while not condition():
            if time.monotonic() > until:
                raise AssertionError(f"{what}: not after {patience} s; {self.status()}")
            time.sleep(0.01)

    def stages(self):
        """{"synthesis": n, "waiting": n, "prove": n, "verify": n} of partitions."""
        metrics = self.metrics()
        return {s: int(metrics[f'cuzk_partitions{{stage="{s}"}}']) for s in ("synthesis", "waiting", "prove", "verify")}

    def wait_stage(self, stage):
        self.wait_for(f"a partition in stage {stage}", lambda: self.stages()[stage] > 0)

    def wait_idle(self):
        self.wait_for("an idle engine", lambda: not self.status().queues and not any(self.stages().values()))

    # --- what it takes

    def resources(self):
        """(resident KiB, file descriptors, threads)"""
        proc = pathlib.Path(f"/proc/{self.process.pid}")
        status = (proc / "status").read_text()
        number = lambda key: int(re.search(rf"^{key}:\s+(\d+)", status, re.M).group(1))  # noqa: E731
        return number("VmRSS"), len(list((proc / "fd").iterdir())), number("Threads")
