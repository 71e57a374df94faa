#!/usr/bin/env python3
"""A client in Go, as Curio's is, calls every method (go/main.go). Skipped where there is no Go or no gRPC for it."""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import harness as h
from harness import Daemon, request

PACKAGES = pathlib.Path("/usr/share/gocode")


class Go(unittest.TestCase):
    def build(self):
        """Packages are compiled once: Go keeps them in its own cache."""
        for tool in ("go", "protoc-gen-go"):
            if shutil.which(tool) is None:
                self.skipTest(f"[  SKIPPED ] no {tool}")
        if not (PACKAGES / "src/google.golang.org/grpc").exists():
            self.skipTest("[  SKIPPED ] no gRPC for Go")
        tree = h.PREPARED / "go"
        for package in ("cuzk/v1", "client"):
            (tree / "src" / package).mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={h.SOURCE}/src/rpc/proto",
                        f"--plugin={shutil.which('protoc-gen-go')}", f"--go_out=plugins=grpc:{tree}/src/cuzk/v1",
                        "proving.proto"], check=True, capture_output=True)
        shutil.copy(h.SOURCE / "tests/daemon/go/main.go", tree / "src/client/main.go")
        env = {**os.environ, "GOPATH": f"{tree}:{PACKAGES}", "GO111MODULE": "off", "GOFLAGS": "", "CGO_ENABLED": "0",
               "GOCACHE": os.environ.get("GOCACHE", os.path.expanduser("~/.cache/go-build"))}
        subprocess.run(["go", "build", "-o", tree / "client-program", "client"], check=True, env=env)
        return tree / "client-program"

    def test_every_method(self):
        program = self.build()
        with Daemon(config="") as d:
            file = d.folder / "request.bin"
            file.write_bytes(request("winning-2k").SerializeToString())
            done = subprocess.run([program, d.address.replace("unix://", "unix:"), file], capture_output=True, text=True,
                                  timeout=h.PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (0, "good\n"), done.stderr)
            self.assertEqual(d.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
