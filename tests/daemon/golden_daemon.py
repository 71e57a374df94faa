"""A real daemon for tests: started in a folder of its own, spoken to with python's gRPC, watched through /proc.

Proofs are verified by a separate process, `cuzk-bench verify`, from the verifying key and the public inputs of the golden
case. wire.py says what the environment must have.
"""

import base64
import contextlib
import fcntl
import inspect
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from wire import *  # noqa: F403

Stub = proving_pb2_grpc.ProvingEngineStub
COMPLETED, FAILED, CANCELLED, TIMEOUT = 1, 2, 3, 4
LOW, NORMAL, HIGH, CRITICAL = 1, 2, 3, 4
POREP, SNAP, WPOST, WINNING = 1, 2, 3, 4


class Skip(Exception):
    """This machine cannot run the test; the reason is the message."""


# --- requests and parameters ------------------------------------------------------------------------------------------


def circuit_of(case):
    return json.loads((GOLDEN / "cases" / case / "meta.json").read_text())["circuit_id"]


def request(case, request_id, priority=0, **fields):
    """The golden case as a SubmitProofRequest with this id; fields override."""
    text = json.loads((GOLDEN / "cases" / case / "request.json").read_text())
    out = pb.SubmitProofRequest(
        request_id=request_id,
        proof_kind=pb.ProofKind.Value(text["proofKind"]),
        sector_size=int(text["sectorSize"]),
        registered_proof=int(text["registeredProof"]),
        priority=priority,
        vanilla_proof=base64.b64decode(text.get("vanillaProof", "")),
        vanilla_proofs=[base64.b64decode(p) for p in text.get("vanillaProofs", [])],
        sector_number=int(text["sectorNumber"]),
        miner_id=int(text["minerId"]),
        randomness=base64.b64decode(text.get("randomness", "")),
        partition_index=text.get("partitionIndex", 0),
        comm_r_old=base64.b64decode(text.get("commROld", "")),
        comm_r_new=base64.b64decode(text.get("commRNew", "")),
        comm_d_new=base64.b64decode(text.get("commDNew", "")),
    )
    for name, value in fields.items():
        if isinstance(value, list):
            del getattr(out, name)[:]
            getattr(out, name).extend(value)
        else:
            setattr(out, name, value)
    return out


def params_file(circuit, suffix=".params"):
    for meta in GOLDEN.glob("cases/*/meta.json"):
        meta = json.loads(meta.read_text())
        if meta["circuit_id"] == circuit:
            return PARAMS / (meta["params"]["params_file"][: -len(".params")] + suffix)
    raise KeyError(circuit)


def need_params(*circuits):
    """Make the test parameters of these circuits, once for all tests."""
    PARAMS.mkdir(parents=True, exist_ok=True)
    with open(PARAMS / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for circuit in circuits:
            if params_file(circuit).exists() and params_file(circuit, ".vk").exists():
                continue
            subprocess.run([BENCH, "params", "setup", "--circuit", circuit, "--toxic", GOLDEN / f"toxic/{circuit}.json",
                            "--dir", PARAMS], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def verify(case, proofs):
    """All of these proofs of one case, by another process. Raises when one does not verify."""
    meta = json.loads((GOLDEN / "cases" / case / "meta.json").read_text())
    rows = b"".join(bytes.fromhex(x)[::-1] for part in meta["partitions"] for x in part["public_inputs"])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "inputs").write_bytes(rows * len(proofs))
        (folder / "proofs").write_bytes(b"".join(proofs))
        run = subprocess.run([BENCH, "verify", "--vk", params_file(meta["circuit_id"], ".vk"), "--inputs",
                              folder / "inputs", "--proof", folder / "proofs"], capture_output=True, text=True)
    if run.returncode != 0:
        raise AssertionError(f"{case}: of {len(proofs)} proofs one does not verify: {run.stdout}{run.stderr}")


# --- the daemon -------------------------------------------------------------------------------------------------------


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(toml(v) for v in value) + "]"
    return json.dumps(str(value))


class Daemon:
    """A daemon in a folder of its own. settings: {"scheduler.max_queue": 5}; faults: text of CUZK_TEST_FAULTS."""

    def __init__(self, settings=None, faults="", params=None, folder=None, env=None, **popen):
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="cuzk-test-"))
        self.own_folder = folder is None
        self.settings = {
            "daemon.listen": f"unix://{self.folder}/cuzk.sock",
            "daemon.drain_timeout": "60s",
            "srs.param_cache": str(params or PARAMS),
            "memory.total_budget": "4GiB",
            "gpus.backend": "cpu",
            "journal.dir": f"{self.folder}/journal",
            **(settings or {}),
        }
        self.faults = faults
        self.env = env or {}
        self.popen = popen
        self.process = None
        self.channel = None
        self.log_path = self.folder / "log"
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    # start and end

    def write_config(self):
        sections = {}
        for key, value in self.settings.items():
            section, name = key.split(".")
            sections.setdefault(section, []).append(f"{name} = {toml(value)}")
        path = self.folder / "cuzk.toml"
        path.write_text("".join(f"[{s}]\n" + "\n".join(lines) + "\n" for s, lines in sections.items()))
        return path

    def start(self, wait=True):
        env = {k: v for k, v in os.environ.items() if k not in ("NOTIFY_SOCKET", "FIL_PROOFS_PARAMETER_CACHE")}
        notify_path = self.folder / "notify.sock"
        notify_path.unlink(missing_ok=True)
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.bind(str(notify_path))
        env.update(NOTIFY_SOCKET=str(notify_path), **self.env)
        if self.faults:
            env["CUZK_TEST_FAULTS"] = self.faults
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([CUZK, "--config", self.write_config()], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, env=env, **self.popen)
        try:
            if wait:
                self.wait_ready(notify)
        finally:
            notify.close()
        self.connect()

    def wait_ready(self, notify):
        notify.settimeout(0.1)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise AssertionError(f"the daemon ended with {self.process.returncode}:\n{self.log()}")
            with contextlib.suppress(socket.timeout):
                if b"READY=1" in notify.recv(4096):
                    return
        raise AssertionError(f"the daemon is not ready after {PATIENCE} s:\n{self.log()}")

    def connect(self):
        if self.channel is not None:
            self.channel.close()
        self.channel = self.new_channel()
        self.rpc = Stub(self.channel)

    def new_channel(self):
        return grpc.insecure_channel(self.address().replace("unix://", "unix:"),
                                     options=CHANNEL_OPTIONS + [("grpc.use_local_subchannel_pool", 1)])

    def address(self):
        listen = self.settings["daemon.listen"]
        return f"unix://{self.env['XDG_RUNTIME_DIR']}/cuzk.sock" if listen == "auto" else listen

    def terminate(self):
        """SIGTERM; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        if self.channel is not None:
            self.channel.close()
        if self.process is not None and self.process.poll() is None:
            self.kill()
        if self.own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None and kind is not Skip:
            print(f"--- the daemon's log:\n{self.log()}", file=sys.stderr)
        try:
            if kind is None and self.process.poll() is None:
                self.stop_quickly()
            if kind is None:
                check_no_report(self.log())
        finally:
            self.close()

    def stop_quickly(self):
        """The ordinary end. Sanitizers report then."""
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the daemon does not end:\n{self.log()}") from None
        if status != 0:
            raise AssertionError(f"the daemon ended with {status}:\n{self.log()}")

    # what it says

    def log(self):
        return self.log_path.read_text(errors="replace")

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

    # what it does

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

    # what it takes

    def resources(self):
        """(resident KiB, file descriptors, threads)"""
        proc = pathlib.Path(f"/proc/{self.process.pid}")
        status = (proc / "status").read_text()
        number = lambda key: int(re.search(rf"^{key}:\s+(\d+)", status, re.M).group(1))  # noqa: E731
        return number("VmRSS"), len(list((proc / "fd").iterdir())), number("Threads")



# --- checks -----------------------------------------------------------------------------------------------------------


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def check_equal(a, b, text=""):
    if a != b:
        raise AssertionError(f"{text}: {a!r} is not {b!r}")


def check_completed(result, case):
    check(result.status == COMPLETED, f"{case}: status {result.status}: {result.error_message}")
    verify(case, [result.proof])


def check_status(result, status, text=""):
    if result.status != status or text not in result.error_message:
        raise AssertionError(f"status {result.status}, '{result.error_message}'; expected {status} with '{text}'")
    check_equal(result.proof, b"", "proof")


@contextlib.contextmanager
def refused(code, text=""):
    """The block's call fails with this gRPC code and a message that contains the text."""
    try:
        yield
    except grpc.RpcError as e:
        if e.code() != code or text not in e.details():
            raise AssertionError(f"{e.code()}: '{e.details()}'; expected {code} with '{text}'") from None
        return
    raise AssertionError(f"no failure; expected {code} with '{text}'")


# --- running ----------------------------------------------------------------------------------------------------------


def run(tests):
    """main(): the test function named on the command line, or all of the module whose names begin with test_."""
    tests = {name: f for name, f in tests.items() if name.startswith("test_") and inspect.isfunction(f)}
    names = sys.argv[1:] or [n for n in tests if "_slow_" not in n]
    seed = int(os.environ.get("CZ_TEST_SEED", "1"), 0)
    for name in names:
        random.seed(seed)
        try:
            tests[name]()
            print(f"[  PASSED ] {name}")
        except Skip as e:
            print(f"[  SKIPPED ] {name}: {e}")
        except BaseException:
            traceback.print_exc()
            print(f"[  FAILED ] {name} (CZ_TEST_SEED={seed})")
            sys.exit(1)
