"""What tests of the daemon as its operator sees it share: a daemon in a folder of its own, a client, requests with real
vanilla proofs. wire.py says what the environment must have.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from google.protobuf import json_format

from wire import (BENCH, CHANNEL_OPTIONS, CUZK, MAX_MESSAGE, PATIENCE, PREPARED, SANITIZED, SLOW, SOURCE,  # noqa: F401
                  check_no_report, grpc, health_pb2, health_pb2_grpc, pb, proving_pb2_grpc)


def request(case, **changes):
    """The request of a golden case: "winning-2k", "porep-2k-v1_1", …"""
    path = SOURCE / f"tests/vectors/golden/cases/{case}/request.json"
    message = json_format.Parse(path.read_text(), pb.SubmitProofRequest())
    for field, value in changes.items():
        setattr(message, field, value)
    return message


def prove(submit):
    return pb.ProveRequest(submit=submit)


def verify(submit, proof):
    """Does cuzk-bench verify the proof, from the request alone?"""
    with tempfile.TemporaryDirectory() as folder:
        request_file, proof_file = pathlib.Path(folder, "request.json"), pathlib.Path(folder, "proof.bin")
        request_file.write_text(json_format.MessageToJson(submit))
        proof_file.write_bytes(proof)
        done = subprocess.run([BENCH, "verify", request_file, "--proof", proof_file, "--params",
                               PREPARED / "params"], capture_output=True)
        return done.returncode == 0


class Daemon:
    """A running daemon. `config` is TOML; `listen` a port 0 address or None for a Unix socket; `faults` as in
    engine/faults.h. Its folder stays until close()."""

    def __init__(self, config="", listen=None, faults="", folder=None, args=(), params=None, env=None):
        self.own_folder = tempfile.TemporaryDirectory(prefix="cuzk-") if folder is None else None
        self.folder = pathlib.Path(folder or self.own_folder.name)
        self.config_file = self.folder / "cuzk.toml"
        self.config_file.write_text(config)
        self.listen = listen or f"unix://{self.folder}/cuzk.sock"
        self.lines = []
        self.seen = threading.Condition()
        env = {**os.environ, "HOME": str(self.folder), "FIL_PROOFS_PARAMETER_CACHE": str(params or PREPARED / "params"),
               "CUZK_TEST_FAULTS": faults, **(env or {})}
        for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "STATE_DIRECTORY", "RUNTIME_DIRECTORY", "NOTIFY_SOCKET"):
            if name not in (env or {}):
                env.pop(name, None)
        self.process = subprocess.Popen([CUZK, "--config", self.config_file, "--listen", self.listen, *args],
                                        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=env)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.address = None

    def _read(self):
        for line in self.process.stderr:
            with self.seen:
                self.lines.append(line.decode(errors="replace").rstrip("\n"))
                self.seen.notify_all()
        with self.seen:
            self.lines.append(None)
            self.seen.notify_all()

    def log(self):
        with self.seen:
            return "\n".join(line for line in self.lines if line is not None)

    def wait_log(self, pattern, patience=PATIENCE):
        """The match of the first line that fits; fails when the daemon ends before."""
        at, until = 0, time.monotonic() + patience
        with self.seen:
            while True:
                while at < len(self.lines):
                    line = self.lines[at]
                    found = line is not None and re.search(pattern, line)
                    if found:
                        return found
                    assert line is not None, f"the daemon ended without saying '{pattern}':\n" + "\n".join(self.lines[:-1])
                    at += 1
                assert self.seen.wait(max(0, until - time.monotonic())), f"'{pattern}' is not said:\n" + "\n".join(self.lines)

    def ready(self):
        self.address = self.wait_log(r"listening on (\S+)").group(1)
        return self

    def channel(self, credentials=None, options=()):
        target = self.address.replace("unix://", "unix:")
        options = CHANNEL_OPTIONS + list(options)
        if credentials is None:
            return grpc.insecure_channel(target, options=options)
        return grpc.secure_channel(target, credentials, options=options)

    def stub(self, **how):
        return proving_pb2_grpc.ProvingEngineStub(self.channel(**how))

    def health(self, **how):
        return health_pb2_grpc.HealthStub(self.channel(**how))

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, patience=PATIENCE):
        status = self.process.wait(patience)
        self.reader.join(patience)
        return status

    def stop(self):
        """Drain and end; the exit status."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self):
        self.process.kill()
        return self.wait()

    def close(self):
        if self.process.poll() is None:
            self.kill()
        if self.own_folder is not None:
            self.own_folder.cleanup()
        check_no_report(self.log())

    def __enter__(self):
        return self.ready()

    def __exit__(self, *problem):
        if problem[0] is not None:
            print(self.log(), file=sys.stderr)
        self.close()


def run(*args, **env):
    """The daemon's program, to its end: exit status, standard output, standard error."""
    done = subprocess.run([CUZK, *args], capture_output=True, text=True, timeout=PATIENCE,
                          env={**os.environ, **env})
    return done.returncode, done.stdout, done.stderr


def code_of(call, *args, **kwargs):
    """The status code's name and the message of a call that must fail."""
    try:
        reply = call(*args, **kwargs)
    except grpc.RpcError as error:
        return error.code().name, error.details()
    raise AssertionError(f"the call did not fail: {json.dumps(json_format.MessageToDict(reply))[:300]}")


def until(condition, patience=PATIENCE):
    """Poll until the condition holds; gives its value."""
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
