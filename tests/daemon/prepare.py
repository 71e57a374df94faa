#!/usr/bin/env python3
"""Make once what the tests of the daemon share: prepare.py BUILD-FOLDER SOURCE-FOLDER BENCH [CIRCUIT...]

In BUILD-FOLDER: python/ with the client code of the .proto files, params/ with test parameters of the circuits
(2 KiB, from published secrets).
"""
import pathlib
import subprocess
import sys


def make_stubs(build, source):
    protos = sorted((source / "src/rpc/proto").glob("*.proto"))
    made = build / "python" / "made"
    if made.exists() and made.stat().st_mtime > max(p.stat().st_mtime for p in protos):
        return
    made.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={protos[0].parent}",
                    f"--python_out={made.parent}", f"--grpc_python_out={made.parent}", *protos], check=True)
    made.touch()


def make_params(build, source, bench, circuit):
    folder = build / "params"
    check = subprocess.run([bench, "params", "check", "--circuit", circuit, "--dir", folder], capture_output=True)
    if check.returncode != 0:
        toxic = source / f"tests/vectors/golden/toxic/{circuit}.json"
        subprocess.run([bench, "params", "setup", "--circuit", circuit, "--toxic", toxic, "--dir", folder], check=True)


def main():
    build, source = map(pathlib.Path, sys.argv[1:3])
    make_stubs(build, source)
    for circuit in sys.argv[4:]:
        make_params(build, source, sys.argv[3], circuit)


main()
