#!/usr/bin/env python3
"""Make once what the tests of the daemon share: prepare.py BUILD-FOLDER SOURCE-FOLDER BENCH [CIRCUIT...]

In BUILD-FOLDER: python/ with the client code of the .proto files, params/ with test parameters of the circuits
(2 KiB, from published secrets).
"""
import os
import pathlib
import subprocess
import sys


def make_params(build, source, bench, circuit):
    folder = build / "params"
    check = subprocess.run([bench, "params", "check", "--circuit", circuit, "--dir", folder], capture_output=True)
    if check.returncode != 0:
        toxic = source / f"tests/vectors/golden/toxic/{circuit}.json"
        subprocess.run([bench, "params", "setup", "--circuit", circuit, "--toxic", toxic, "--dir", folder], check=True)


def main():
    build, source = map(pathlib.Path, sys.argv[1:3])
    os.environ.update(CUZK="", CUZK_BENCH=sys.argv[3], CUZK_SOURCE=str(source), CUZK_PREPARED=str(build))
    import wire  # noqa: F401 (makes the client code)
    for circuit in sys.argv[4:]:
        make_params(build, source, sys.argv[3], circuit)


main()
