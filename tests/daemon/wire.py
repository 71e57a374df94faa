"""What every test of the daemon begins with: the programs, client code of the .proto files, patience.

Nothing of cuzk's own code is used on this side of the wire: messages come from the .proto files by way of protoc, the
transport from Debian's python3-grpcio. The folders come from the environment, as ctest sets it (by hand:
`. build/tests/daemon/env`): CUZK and CUZK_BENCH (the programs), CUZK_SOURCE (the checkout), CUZK_PREPARED (what is made
once: client code, test parameters).
"""
import fcntl
import os
import pathlib
import sys

CUZK = os.environ["CUZK"]
BENCH = os.environ["CUZK_BENCH"]
SOURCE = pathlib.Path(os.environ["CUZK_SOURCE"])
PREPARED = pathlib.Path(os.environ["CUZK_PREPARED"])
GOLDEN = SOURCE / "tests/vectors/golden"
PARAMS = PREPARED / "params"

SANITIZED = os.environ.get("CUZK_SANITIZED") == "1"  # slower by an order of magnitude
# What a time may be longer by; CUZK_TEST_SLOW=4 is for a machine that does other things, too.
SLOW = float(os.environ.get("CUZK_TEST_SLOW", "1")) * (5 if SANITIZED else 1)
PATIENCE = int(120 * SLOW)  # seconds until a test gives up waiting

MAX_MESSAGE = 256 << 20
CHANNEL_OPTIONS = [("grpc.max_receive_message_length", MAX_MESSAGE), ("grpc.max_send_message_length", MAX_MESSAGE),
                   ("grpc.enable_http_proxy", 0)]


def make_stubs(build, source):
    """The client code, in build/python, unless it is newer than the .proto files."""
    import subprocess
    protos = sorted((source / "src/rpc/proto").glob("*.proto"))
    folder, made = build / "python", build / "python/made"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made.exists() and made.stat().st_mtime > max(p.stat().st_mtime for p in protos):
            return
        subprocess.run(["/usr/bin/python3", "-m", "grpc_tools.protoc", f"--proto_path={protos[0].parent}",
                        f"--python_out={folder}", f"--grpc_python_out={folder}", *protos], check=True)
        made.touch()


def check_no_report(log):
    """A sanitizer has nothing to say, also of daemons that were killed later."""
    if "Sanitizer" in log or "runtime error:" in log:
        raise AssertionError(f"a sanitizer reports:\n{log}")


make_stubs(PREPARED, SOURCE)
sys.path.insert(0, str(PREPARED / "python"))
sys.dont_write_bytecode = True

import grpc  # noqa: E402,F401
import health_pb2  # noqa: E402,F401
import health_pb2_grpc  # noqa: E402,F401
import proving_pb2 as pb  # noqa: E402,F401
import proving_pb2_grpc  # noqa: E402,F401
