"""What tests of the daemon as its operator sees it share: requests with real vanilla proofs, refusals. wire.py says what
the environment must have.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import time

from google.protobuf import json_format

from daemon_process import Daemon  # noqa: F401
from wire import (BENCH, CUZK, MAX_MESSAGE, PATIENCE, PREPARED, SANITIZED, SLOW, SOURCE,  # noqa: F401
                  grpc, health_pb2, health_pb2_grpc, pb, proving_pb2_grpc)


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
