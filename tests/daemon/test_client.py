"""cuzk-bench's client commands against a daemon: what they print, their JSON, their exit statuses, their errors."""

import base64
import json

from golden_daemon import *  # noqa: F403

CASE = "wpost-2k-full"
REQUEST = GOLDEN / "cases" / CASE / "request.json"


def bench(d, *args, status=0, **options):
    """Run cuzk-bench; standard output."""
    addr = ["--addr", d.address] if d else []
    run = subprocess.run([BENCH, *args, *addr], capture_output=True, text=True, **options)
    check(run.returncode == status, f"{args}: exit status {run.returncode}, expected {status}: {run.stdout}{run.stderr}")
    bench.stderr = run.stderr
    return run.stdout


def bench_json(d, *args, status=0):
    return json.loads(bench(d, *args, "--json", status=status))


def started():
    need_params("wpost-2k")
    return Daemon()


def test_single_writes_a_proof_that_verifies():
    with started() as d:
        out = d.folder / "proof"
        text = bench(d, "single", REQUEST, "--out", out, "--verify", "--params", PARAMS)
        check("completed in" in text and "verified here" in text and "witness" in text, text)
        verify(CASE, [out.read_bytes()])
        result = bench_json(d, "single", REQUEST, "--request-id", "another")
        check_equal((result["status"], result["request_id"], result["proof_bytes"]), ("completed", "another", 192))
        check(result["phases_ms"]["total"] > 0, "phases")
        again = bench_json(d, "single", REQUEST, "--request-id", "another")
        check_equal(again["proof_sha256"], result["proof_sha256"], "an equal request is answered once")


def test_single_takes_the_flags_of_curios_client():
    with started() as d:
        golden = json.loads(REQUEST.read_text())
        vanilla = d.folder / "vanilla.json"
        vanilla.write_text(json.dumps(golden["vanillaProofs"]))
        flags = ["--type", "wpost", "--vanilla", vanilla, "--registered-proof", golden["registeredProof"],
                 "--miner-id", golden["minerId"], "--sector-num", "0", "--partition", "0",
                 "--randomness", base64.b64decode(golden["randomness"]).hex(), "--priority", "critical"]
        out = d.folder / "proof"
        bench(d, "single", *flags, "--out", out)
        verify(CASE, [out.read_bytes()])
        bench(d, "single", "-t", "window-post", "--vanilla", vanilla, "--randomness", "00", status=2)
        check("--randomness takes 64 hex digits" in bench.stderr, bench.stderr)
        bench(d, "single", "--type", "porep", status=2)
        check("--type porep needs --c1 FILE" in bench.stderr, bench.stderr)
        bench(d, "single", "--type", "stark", status=2)
        check("none of porep, snap, wpost, winning" in bench.stderr, bench.stderr)
        bench(d, "single", status=2)
        check("give a REQUEST.json" in bench.stderr, bench.stderr)
        bench(d, "single", REQUEST, "--sector-size", "2G", status=2)
        check("--sector-size: '2G'" in bench.stderr, bench.stderr)


def test_a_request_above_max_message_names_the_setting():
    with Daemon(settings={"daemon.max_message": "1MiB"}) as d:
        c1 = d.folder / "large"
        c1.write_bytes(bytes(2 << 20))
        bench(d, "single", "--type", "porep", "--c1", c1, "--registered-proof", "5", status=1)
        check("larger than max" in bench.stderr and "daemon.max_message" in bench.stderr, bench.stderr)
        text = bench(d, "batch", "--type", "porep", "--c1", c1, "--registered-proof", "5", "--count", "1", status=1)
        check("daemon.max_message" in text, text)


def test_jobs_are_submitted_and_cancelled():
    need_params("wpost-2k")
    with Daemon(faults="prove=1000") as d:
        job = bench(d, "single", REQUEST, "--submit-only").strip()
        check_equal(len(job), 32, "a job's id")
        check(bench(d, "cancel", job) == f"{job}: cancelled\n", "cancelled")
        check_equal(bench_json(d, "cancel", job), {"job_id": job, "was_running": False})
        check_status(d.await_job(job), CANCELLED)
        said = bench_json(d, "cancel", "00" * 16, status=1)["error"]
        check(said.startswith("NOT_FOUND: "), said)
        waiter = subprocess.Popen([BENCH, "single", REQUEST, "--request-id", "waited for", "--addr", d.address],
                                  stderr=subprocess.PIPE, text=True)
        bench(d, "cancel", d.wait_log(r"job (\w+) \(waited for, wpost\): accepted").group(1))
        check_equal(waiter.communicate(timeout=PATIENCE)[1], "cuzk-bench single: the job was cancelled\n")
        check_equal(waiter.returncode, 1)
        bench(d, "single", REQUEST, "--timeout", "1", "--request-id", "slow", status=1)
        check("DEADLINE_EXCEEDED" in bench.stderr or "timed out" in bench.stderr, bench.stderr)


def test_batch_and_stress_sum_up():
    with started() as d:
        text = bench(d, "batch", REQUEST, "--count", "2", "-j", "2", "--verify", "--params", PARAMS)
        check("[2/2] completed" in text and "2 proofs in" in text and "every one verified here" in text, text)
        s = bench_json(d, "batch", REQUEST, "--count", "2", "--each")
        check_equal((s["completed"], s["failed"], len(s["proofs"])), (2, 0, 2))
        check_equal(len({p["job_id"] for p in s["proofs"]}), 2, "each is a job")
        check(s["proofs_per_minute"] > 0 and s["wall_s"]["min"] <= s["wall_s"]["median"] <= s["wall_s"]["max"], s)
        other = GOLDEN / "cases/wpost-2k-two/request.json"
        s = bench_json(d, "stress", REQUEST, other, "--count", "4", "-j", "3", "--verify", "--params", PARAMS)
        check_equal([(x["completed"], x["verified"]) for x in s["sources"]], [(2, 2), (2, 2)], "they take turns")
        s = bench_json(d, "stress", f"{REQUEST}@2/1s", "--duration", "1s")
        check_equal((s["completed"], s["failed"]), (2, 0), "two in a second")
        check(s["seconds"] > 0.5, "not all at once")
        bench(d, "stress", f"{REQUEST}@4", status=2)
        check("is not of the form 1/30s" in bench.stderr, bench.stderr)


def test_failed_proofs_are_failures():
    need_params("wpost-2k")
    with Daemon(faults="flip=wpost:0:2") as d:
        s = bench_json(d, "batch", REQUEST, "--count", "2", "--each", status=1)
        check_equal((s["completed"], s["failed"]), (1, 1))
        bad = [p for p in s["proofs"] if p["status"] == "failed"]
        check("self-check failed twice" in bad[0]["error"], bad)
        damaged = json.loads(REQUEST.read_text())
        damaged["registeredProof"] = "99"
        (d.folder / "damaged.json").write_text(json.dumps(damaged))
        bench(d, "single", d.folder / "damaged.json", status=1)
        check("INVALID_ARGUMENT" in bench.stderr and "99 is unknown" in bench.stderr, bench.stderr)
        bench(d, "batch", d.folder / "damaged.json", "--count", "2", status=1)


def test_parameters_are_preloaded_and_evicted():
    with started() as d:
        check(bench(d, "preload", "wpost-2k").startswith("wpost-2k: loaded in "), "loaded")
        check_equal(bench_json(d, "preload", "-c", "wpost-2k")["already_loaded"], True)
        loaded = {s["circuit_id"]: s["tier"] for s in bench_json(d, "status")["loaded_srs"]}
        check_equal(loaded["wpost-2k"], "hot")
        check("MiB are free again" in bench(d, "evict", "wpost-2k"), "evicted")
        check_equal(bench_json(d, "evict", "wpost-2k"), {"circuit_id": "wpost-2k", "was_loaded": False, "freed_bytes": 0})
        bench(d, "preload", "wpost-3k", status=1)
        check("NOT_FOUND" in bench.stderr and "wpost-3k" in bench.stderr, bench.stderr)
        bench(d, "preload", status=2)


def test_status_and_metrics():
    with started() as d:
        bench(d, "single", REQUEST)
        text = bench(d, "status")
        check("1 completed, 0 failed" in text and "queue            empty" in text and "wpost-2k" in text, text)
        s = bench_json(d, "status")
        check_equal((s["total_proofs_completed"], s["queues"]), (1, []))
        check("cuzk_proofs_completed_total 1" in bench(d, "metrics").splitlines(), "metrics")
        check_equal(bench_json(d, "metrics")["prometheus_text"].split("\n")[0][:6], "# HELP")


def test_nobody_there():
    with tempfile.TemporaryDirectory() as folder:
        for command in (["status"], ["metrics"], ["preload", "wpost-2k"], ["cancel", "x"], ["single", REQUEST]):
            bench(None, *command, "--addr", f"unix://{folder}/none.sock", status=1)
            check(f"no daemon answers at unix://{folder}/none.sock: No such file or directory\n" in bench.stderr,
                  bench.stderr)
            check(f"Start one with: cuzk --listen unix://{folder}/none.sock" in bench.stderr, bench.stderr)
        bench(None, "status", "--addr", "127.0.0.1:1", status=1)
        check("no daemon answers at 127.0.0.1:1" in bench.stderr, bench.stderr)
        bench(None, "status", "--addr", "nonsense", status=2)
        check("address: 'nonsense' has no port" in bench.stderr, bench.stderr)
        bench(None, "status", "--addr", "127.0.0.1:1", "--token-file", f"{folder}/none", status=1)
        check(f"token file: {folder}/none: cannot open" in bench.stderr, bench.stderr)


def test_the_usual_address_is_the_daemons():
    with tempfile.TemporaryDirectory() as folder:
        env = {"XDG_RUNTIME_DIR": folder}
        with Daemon(settings={"daemon.listen": "auto"}, env=env) as d:
            text = bench(None, "status", env={**os.environ, **env})
            check(f"unix://{folder}/cuzk.sock" in text, text)
            d.process.send_signal(signal.SIGTERM)
            d.process.wait(PATIENCE)


if __name__ == "__main__":
    run(globals())
