"""What tests of a daemon's jobs share: requests, checks, running the test functions of a script.

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

from daemon_process import Daemon, Skip
from wire import *  # noqa: F403

Stub = proving_pb2_grpc.ProvingEngineStub
COMPLETED, FAILED, CANCELLED, TIMEOUT = 1, 2, 3, 4
LOW, NORMAL, HIGH, CRITICAL = 1, 2, 3, 4
POREP, SNAP, WPOST, WINNING = 1, 2, 3, 4


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
