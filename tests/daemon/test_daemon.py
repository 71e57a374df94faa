#!/usr/bin/env python3
"""The daemon as its operator sees it: command line, settings, sockets, TLS, tokens, signals. No proofs.

Each test function is a ctest case.
"""
import os
import pathlib
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import tempfile
import unittest

import harness as h
from harness import Daemon, code_of, pb, run


def status(stub, **how):
    return stub.GetStatus(pb.GetStatusRequest(), **how)


class TestDaemon(unittest.TestCase):
    def test_command_line(self):
        self.assertRegex(run("--version")[1], r"^cuzk \d+\.\d+\.\d+\n")
        code, out, _ = run("--help")
        self.assertEqual(code, 0)
        for word in ("--config", "--listen", "--log-level", "--print-config", "--check-config", "--version", "SIGTERM"):
            self.assertIn(word, out)
        for wrong in (["--nothing"], ["serve"], ["--config"]):
            code, _, err = run(*wrong)
            self.assertEqual(code, 2)
            self.assertIn("try: cuzk --help", err)
        code, _, err = run("--log-level", "loud")
        self.assertEqual(code, 78)
        self.assertIn("loud", err)

    def test_settings(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "c.toml")
            code, out, _ = run("--print-config", "--listen", "127.0.0.1:1")
            self.assertEqual(code, 0)
            self.assertIn('listen = "127.0.0.1:1"', out)
            file.write_text(out)
            self.assertEqual(run("--config", str(file), "--check-config")[:2], (0, f"{file}: good\n"))
            self.assertEqual(run("--config", str(file), "--print-config", HOME="/")[1].replace("Default", ""),
                             out.replace("Default", ""))
            for text, message in (("daemon.listn = 1", ":1: daemon.listn: unknown key; did you mean daemon.listen?"),
                                  ('\n[memory]\ntotal_budget = "512G"', ":3: memory.total_budget: "),
                                  ('daemon.listen = "0.0.0.0:9820"', "daemon.insecure"),
                                  ('daemon.listen = "somewhere"', "no port"),
                                  ('daemon.token_file = "/nothing"', "daemon.token_file: /nothing: cannot open"),
                                  ('srs.manifest = "/nothing"', "srs.manifest: /nothing: cannot open"),
                                  ('srs.param_cache = "~/params"', ":1: srs.param_cache: '~/params': ~ means nothing"),
                                  (f'journal.dir = "{file}"', f"journal.dir: {file} is not a folder"),
                                  ('[daemon]\nlisten = "127.0.0.1:9820"\nstatus_listen = "127.0.0.1:9820"',
                                   "daemon.status_listen: 127.0.0.1:9820 is daemon.listen's"),
                                  ('srs.keep = ["porep-31g"]', 'srs.keep: "porep-31g" is no circuit'),
                                  ('daemon.status_listen = "x"', "daemon.status_listen")):
                file.write_text(text)
                code, _, err = run("--config", str(file), "--check-config")
                self.assertEqual(code, 78, err)
                self.assertIn(message, err)
            self.assertEqual(run("--config", f"{folder}/none.toml")[0], 78)

    def test_default_start(self):
        """No file, no root, no GPU, a fresh home folder: a local socket, and the log says where."""
        with tempfile.TemporaryDirectory() as home:
            env = {"PATH": os.environ["PATH"], "HOME": home,
                   **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}
            process = subprocess.Popen([os.environ["CUZK"]], stderr=subprocess.PIPE, text=True, env=env)
            lines = iter(process.stderr.readline, "")
            line = next(line for line in lines if "listening on" in line)
            path = pathlib.Path(home, ".cache/cuzk/cuzk.sock")
            self.assertIn(f"listening on unix://{path}\n", line)
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o660)
            self.assertEqual(stat.S_IMODE(path.parent.stat().st_mode), 0o700)
            self.assertTrue(pathlib.Path(home, ".local/state/cuzk/journal.db").exists())
            with h.grpc.insecure_channel(f"unix:{path}") as channel:
                self.assertEqual(status(h.proving_pb2_grpc.ProvingEngineStub(channel)).total_proofs_completed, 0)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(h.PATIENCE), 0)
            process.stderr.close()
            self.assertFalse(path.exists())

    def test_sockets(self):
        with Daemon(config='daemon.socket_mode = "0600"\njournal.dir = "none"') as d:
            path = d.folder / "cuzk.sock"
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
            other = Daemon(config='journal.dir = "none"', listen=d.address, ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertIn("another daemon listens there", other.log())
            other.close()
            status(d.stub())
            d.kill()
            self.assertTrue(path.exists())
            with Daemon(config='journal.dir = "none"', folder=d.folder) as again:  # a stale socket is replaced
                status(again.stub())
                self.assertEqual(again.stop(), 0)
            path.write_text("mine")
            wrong = Daemon(config='journal.dir = "none"', folder=d.folder, ready=False)
            self.assertEqual(wrong.wait(), 1)
            self.assertIn("no socket", wrong.log())
            self.assertEqual(path.read_text(), "mine")

    def test_what_would_hurt_later_is_said_at_once(self):
        config = 'srs.param_cache = "/unused"\nmemory.total_budget = "64TiB"\ngpus.devices = [63]\njournal.dir = "none"\n'
        with Daemon(config=config, env={"FIL_PROOFS_PARAMETER_CACHE": "/nowhere"}) as d:
            d.wait_log("WARN.*srs.param_cache: not /unused: FIL_PROOFS_PARAMETER_CACHE is set, too")
            d.wait_log("WARN.*srs.param_cache: parameter folder /nowhere does not exist")
            d.wait_log("WARN.*memory.total_budget: only .*iB are free")
            d.wait_log("WARN.*gpus.devices: no GPU is used")
            # a request that is refused has no job, and all the same its line
            refused = pb.SubmitProofRequest(request_id="r-7", proof_kind=4, vanilla_proofs=[b"x"], randomness=bytes(32))
            self.assertEqual(code_of(d.stub().SubmitProof, refused)[0], "FAILED_PRECONDITION")
            d.wait_log(r"WARN +request r-7 \(winning\) is refused: FAILED_PRECONDITION: parameters of winning-2k: /nowhere/v28-")
            self.assertEqual(code_of(d.stub().Prove, pb.ProveRequest(submit={"proof_kind": 9}))[0], "INVALID_ARGUMENT")
            d.wait_log("WARN.*is refused: INVALID_ARGUMENT: invalid proof_kind: 9")
            self.assertEqual(d.stop(), 0)
            wrong = Daemon(config=f'journal.dir = "{d.config_file}/journal"', ready=False)
            self.assertEqual(wrong.wait(), 78)
            self.assertIn(f"journal.dir: {d.config_file} is not a folder", wrong.log())
            wrong.close()

    def test_one_journal_one_daemon(self):
        with Daemon(config="") as d:
            other = Daemon(config=f'journal.dir = "{d.folder}/.local/state/cuzk"', ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertIn("journal", other.log())
            other.close()
            self.assertEqual(d.stop(), 0)

    def test_tcp(self):
        with Daemon(config='journal.dir = "none"', listen="127.0.0.1:0") as d:
            self.assertRegex(d.address, r"^127\.0\.0\.1:\d+$")
            status(d.stub())
            other = Daemon(config='journal.dir = "none"', listen=d.address, ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertIn("another process listens there", other.log())
            other.close()
            # bytes that are no HTTP/2 do no harm
            host, port = d.address.split(":")
            with socket.create_connection((host, int(port))) as raw:
                raw.sendall(b"GET / HTTP/1.0\r\n\r\n" + bytes(1000))
            status(d.stub())
            self.assertEqual(d.stop(), 0)
        exposed = Daemon(config='journal.dir = "none"', listen="0.0.0.0:0", ready=False)
        self.assertEqual(exposed.wait(), 78)
        self.assertIn("daemon.insecure", exposed.log())
        exposed.close()

    def make_certificates(self, folder):
        def openssl(*args):
            subprocess.run(["openssl", *args], check=True, capture_output=True, cwd=folder)

        for name in ("ca", "other"):
            openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}")
        for name in ("server", "second", "client"):
            openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key",
                    "-out", f"{name}.csr", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1")
            openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                    "-days", "2", "-copy_extensions", "copy", "-out", f"{name}.pem")

    def test_tls(self):
        if shutil.which("openssl") is None:
            self.skipTest("[  SKIPPED ] no openssl")
        with tempfile.TemporaryDirectory() as folder:
            self.make_certificates(folder)
            f = {name: pathlib.Path(folder, name) for name in os.listdir(folder)}
            token = pathlib.Path(folder, "token")
            token.write_text("0123-secret\n")
            token.chmod(0o644)
            tls = (f'journal.dir = "none"\n[daemon]\ntls_cert = "{f["server.pem"]}"\ntls_key = "{f["server.key"]}"\n'
                   f'tls_client_ca = "{f["ca.pem"]}"\ntoken_file = "{token}"\n')
            read = lambda name: f[name].read_bytes()  # noqa: E731
            good = h.grpc.ssl_channel_credentials(read("ca.pem"), read("client.key"), read("client.pem"))
            bearer = [("authorization", "Bearer 0123-secret")]
            with Daemon(config=tls, listen="127.0.0.1:0") as d:
                d.wait_log("WARN.*token file .*: every user may read it")
                status(d.stub(credentials=good), metadata=bearer)
                self.assertEqual(d.health(credentials=good).Check(h.health_pb2.HealthCheckRequest()).status, 1)
                for wrong in ([], [("authorization", "Bearer 0123-secre")], [("authorization", "Bearer 0123-secret ")],
                              [("authorization", "Bearer ")], [("authorization", "0123-secret")]):
                    self.assertEqual(code_of(status, d.stub(credentials=good), metadata=wrong)[0], "UNAUTHENTICATED")
                d.wait_log(r"WARN +a call of /cuzk.v1.ProvingEngine/GetStatus from ipv4:\S+ is refused: UNAUTHENTICATED")
                self.assertNotIn("0123-secre", d.log())
                for who in (h.grpc.ssl_channel_credentials(read("ca.pem")),
                            h.grpc.ssl_channel_credentials(read("other.pem"), read("client.key"), read("client.pem")),
                            h.grpc.ssl_channel_credentials(read("ca.pem"), read("other.key"), read("other.pem")), None):
                    self.assertEqual(code_of(status, d.stub(credentials=who), metadata=bearer)[0], "UNAVAILABLE")
                self.reread(d, f, good, bearer, token)
                self.assertEqual(d.stop(), 0)
            self.serves_without_a_client_ca(f, tls.replace("tls_client_ca", "# tls_client_ca"))
            for wrong, message in ((tls.replace("server.key", "client.key"), "does not belong to daemon.tls_cert"),
                                   (tls.replace("server.pem", "token"), "no PEM certificate"),
                                   (tls.replace("server.pem", "none.pem"), "none.pem"),
                                   (tls.replace("tls_key", "# tls_key"), "one needs the other")):
                d = Daemon(config=wrong, listen="127.0.0.1:0", ready=False)
                self.assertIn(d.wait(), (1, 78))
                self.assertIn(message, d.log())
                d.close()

    def serves_without_a_client_ca(self, f, config):
        """Encrypted, with a token, and no client is asked for a certificate; one that has another's is served, too."""
        read = lambda name: f[name].read_bytes()  # noqa: E731
        bearer = [("authorization", "Bearer " + pathlib.Path(f["ca.pem"].parent, "token").read_text().strip())]
        with Daemon(config=config, listen="127.0.0.1:0") as d:
            for who in (h.grpc.ssl_channel_credentials(read("ca.pem")),
                        h.grpc.ssl_channel_credentials(read("ca.pem"), read("other.key"), read("other.pem"))):
                status(d.stub(credentials=who), metadata=bearer)
                self.assertEqual(code_of(status, d.stub(credentials=who))[0], "UNAUTHENTICATED")
            d.signal(signal.SIGHUP)
            d.wait_log("is read again")
            status(d.stub(credentials=h.grpc.ssl_channel_credentials(read("ca.pem"))), metadata=bearer)
            for who in (h.grpc.ssl_channel_credentials(read("other.pem")), None):
                self.assertEqual(code_of(status, d.stub(credentials=who), metadata=bearer)[0], "UNAVAILABLE")
            for flags, message in (([], "it hangs up\nIf it wants TLS: https://, or --tls-ca FILE"),
                                   (["--tls-ca", f["other.pem"]], "its certificate is not vouched for\n"),
                                   (["--tls-ca", f["ca.pem"]], "UNAUTHENTICATED")):
                bench = subprocess.run([h.BENCH, "status", "--addr", d.address, *flags], capture_output=True, text=True)
                self.assertEqual(bench.returncode, 1)
                self.assertIn(message, bench.stderr)
            self.assertEqual(d.stop(), 0)

    def presented(self, d, f):
        """The certificate that the daemon shows to a new connection."""
        context = ssl.create_default_context(cafile=f["ca.pem"])
        context.load_cert_chain(f["client.pem"], f["client.key"])
        context.set_alpn_protocols(["h2"])
        host, port = d.address.split(":")
        with socket.create_connection((host, int(port))) as raw, context.wrap_socket(raw, server_hostname=host) as tls:
            return tls.getpeercert(binary_form=True)

    def reread(self, d, f, good, bearer, token):
        """Another certificate and token, then files that are wrong."""
        old = d.stub(credentials=good)
        first, files = self.presented(d, f), {name: f[name].read_bytes() for name in ("server.pem", "server.key")}
        for name in ("pem", "key"):
            shutil.copy(f[f"second.{name}"], f[f"server.{name}"])
        token.write_text("another")
        d.signal(signal.SIGHUP)
        d.wait_log("is read again")
        second = self.presented(d, f)
        self.assertNotEqual(first, second)
        self.assertEqual(code_of(status, old, metadata=bearer)[0], "UNAUTHENTICATED")
        bearer[:] = [("authorization", "Bearer another")]
        status(old, metadata=bearer)  # on a connection from before
        status(d.stub(credentials=good, options=[("grpc.use_local_subchannel_pool", 1)]), metadata=bearer)
        for name, text, message in (("server.pem", "none", "no PEM certificate"), ("token", "", "no token")):
            path = f.get(name, token)
            before = path.read_text()
            path.write_text(text)
            d.signal(signal.SIGHUP)
            d.wait_log(f"nothing is changed: .*{message}")
            path.write_text(before)
            self.assertEqual(self.presented(d, f), second)
            status(old, metadata=bearer)
        for name, data in files.items():
            f[name].write_bytes(data)

    def test_reload(self):
        with Daemon(config='logging.level = "info"\ndaemon.max_message = "1MiB"') as d:
            d.config_file.write_text('logging.level = "debug"\ndaemon.max_message = "2MiB"\n')
            d.signal(signal.SIGHUP)
            d.wait_log("is read again")
            d.wait_log("daemon.max_message: the new value takes effect after a restart")
            status(d.stub())
            d.wait_log("DEBUG.*GetStatus: OK")
            d.config_file.write_text("nonsense = 1\n")
            d.signal(signal.SIGHUP)
            d.wait_log(r"nothing is changed: .*nonsense: unknown key")
            status(d.stub())
            self.assertEqual(d.stop(), 0)

    def test_journal_is_private(self):
        with tempfile.TemporaryDirectory() as folder:
            journal = pathlib.Path(folder)
            journal.chmod(0o755)
            with Daemon(config=f'journal.dir = "{folder}"\n') as d:
                d.wait_log("WARN.*other users may read the folder")
                self.assertEqual(stat.S_IMODE((journal / "journal.db").stat().st_mode), 0o600)
                self.assertEqual(d.stop(), 0)

    def test_systemd(self):
        with tempfile.TemporaryDirectory() as folder:
            said = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            said.bind(f"{folder}/notify")
            said.settimeout(h.PATIENCE)
            with Daemon(config="", env={"NOTIFY_SOCKET": f"{folder}/notify", "WATCHDOG_USEC": "300000"}) as d:
                messages = []
                while not any("WATCHDOG=1" in m for m in messages):
                    messages.append(said.recv(4096).decode())
                self.assertIn("READY=1", messages[0])
                self.assertIn(d.address, messages[0])
                self.assertEqual(d.stop(), 0)
                while not any("STOPPING=1" in m for m in messages):
                    messages.append(said.recv(4096).decode())
            said.close()

    def test_preload_and_http(self):
        config = 'srs.preload = ["winning-2k"]\ndaemon.status_listen = "127.0.0.1:0"\n'
        with Daemon(config=config) as d:
            d.wait_log("parameters of winning-2k are loaded")
            url = d.wait_log(r"metrics: (http://\S+)").group(1)
            import urllib.request
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            self.assertEqual(opener.open(url + "readyz").status, 200)
            self.assertIn(b"winning-2k", opener.open(url + "status").read())
            self.assertEqual(d.stop(), 0)
        wrong = Daemon(config='srs.preload = ["winning-2k", "porep-31g"]\n', ready=False)
        self.assertEqual(wrong.wait(), 78)
        self.assertIn('srs.preload: "porep-31g" is no circuit', wrong.log())
        wrong.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
