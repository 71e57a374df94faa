"""Ends and new starts: SIGTERM drains, what is left goes on, kill -9 loses and doubles nothing."""

import collections
import random
import sqlite3
import threading
import time

from golden_daemon import *  # noqa: F403

CASE = "wpost-2k-full"


# --- SIGTERM ----------------------------------------------------------------------------------------------------------


def test_draining_finishes_what_was_accepted():
    need_params("wpost-2k")
    with Daemon(faults="prove=250") as d:
        waiters = [d.rpc.Prove.future(pb.ProveRequest(submit=request(CASE, f"waits {i}"))) for i in range(2)]
        jobs = [d.submit(request(CASE, f"queued {i}")) for i in range(2)]
        d.wait_for("four jobs", lambda: d.counter("cuzk_jobs_accepted_total") == 4)
        d.process.send_signal(signal.SIGTERM)
        d.wait_for("the drain", lambda: d.counter("cuzk_draining") == 1)
        with refused(grpc.StatusCode.UNAVAILABLE, "draining"):
            d.submit(request(CASE, "too late"))
        results = [w.result(PATIENCE).result for w in waiters]
        check_equal(d.process.wait(PATIENCE), 0, "exit status")
        check_equal([r.status for r in results], [COMPLETED] * 2, "the waiting clients")
        d.faults = ""
        d.start()
        check(not d.status().queues, "nothing is left to do")
        results += [d.await_job(j) for j in jobs]
        verify(CASE, [r.proof for r in results])


def test_what_the_drain_leaves_goes_on_after_the_start():
    need_params("wpost-2k")
    with Daemon(settings={"daemon.drain_timeout": "1s"}, faults="prove=600") as d:
        jobs = [d.submit(request(CASE, f"{i}")) for i in range(5)]
        waiter = d.rpc.AwaitProof.future(pb.AwaitProofRequest(job_id=jobs[4]))
        d.wait_stage("prove")
        start = time.monotonic()
        check_equal(d.stop(), 0, "exit status")
        took = time.monotonic() - start
        check(took < 8 * SLOW, f"ended after {took:.1f} s")
        with refused(grpc.StatusCode.UNAVAILABLE):
            waiter.result(PATIENCE)
        d.faults = ""
        d.start()
        verify(CASE, [d.await_job(j).proof for j in jobs])
        check_equal(d.counter("cuzk_jobs_accepted_total") > 0, True, "some were left")


def test_an_idle_daemon_ends_at_once():
    need_params("wpost-2k")
    with Daemon() as d:
        start = time.monotonic()
        check_equal(d.stop(), 0, "exit status")
        took = time.monotonic() - start
        check(took < 3 * SLOW, f"ended after {took:.1f} s")


def test_a_stage_that_runs_for_nobody_does_not_hold_up_the_end():
    """Its client is gone before the signal comes, and it would run for an hour."""
    need_params("wpost-2k")
    with Daemon(faults="prove=3600000") as d:
        waiting = d.rpc.Prove.future(pb.ProveRequest(submit=request(CASE, "a")))
        d.wait_stage("prove")
        waiting.cancel()
        d.wait_for("no job", lambda: not d.status().queues)
        check_equal(d.stop(), 0, "exit status")
        check("leaving without it" in d.log(), "it says so")


# --- proofs that were kept --------------------------------------------------------------------------------------------


def prove_kept(d, job_id, why):
    """A proof that may not leave: not by its id; its request brings another, which is kept as any."""
    with refused(grpc.StatusCode.NOT_FOUND, why):
        d.await_job(job_id)
    result = d.prove(request(CASE, "kept"))
    d.wait_log(f"a proof of an equal request is not given again: job {job_id}: .*{why}")
    check_equal(result.job_id, job_id, "job id")
    check_equal(d.counter("cuzk_jobs_accepted_total"), 1, "jobs that were made")
    return result


def test_a_damaged_proof_is_made_anew():
    need_params("wpost-2k")
    with Daemon() as d:
        first = d.prove(request(CASE, "kept"))
        d.stop()
        with contextlib.closing(sqlite3.connect(d.folder / "journal" / "journal.db")) as db:
            damaged = first.proof[:100] + bytes([first.proof[100] ^ 1]) + first.proof[101:]
            db.execute("UPDATE jobs SET proof = ?", (damaged,))
            db.commit()
        d.start()
        again = prove_kept(d, first.job_id, "damaged")
        check_completed(again, CASE)
        check(again.proof not in (first.proof, damaged), "another proof")


def make_other_params(folder):
    """Of the same circuit, from other secrets."""
    toxic = json.loads((GOLDEN / "toxic" / "wpost-2k.json").read_text())
    toxic["delta"], toxic["gamma"] = toxic["gamma"], toxic["alpha"]
    folder.mkdir()
    (folder / "toxic.json").write_text(json.dumps(toxic))
    subprocess.run([BENCH, "params", "setup", "--circuit", "wpost-2k", "--toxic", folder / "toxic.json", "--dir", folder],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_slow_a_proof_with_other_parameters_is_made_anew():
    need_params("wpost-2k")
    with Daemon() as d:
        first = d.prove(request(CASE, "kept"))
        d.stop()
        make_other_params(d.folder / "others")
        d.settings["srs.param_cache"] = d.folder / "others"
        d.start()
        again = prove_kept(d, first.job_id, "proved with other parameters of wpost-2k")
        (d.folder / "proof").write_bytes(again.proof)
        subprocess.run([BENCH, "verify", GOLDEN / "cases" / CASE / "request.json", "--params",
                        d.folder / "others", "--proof", d.folder / "proof"], check=True, stdout=subprocess.DEVNULL)


# --- kill -9 ----------------------------------------------------------------------------------------------------------


class Run:
    """n requests through a daemon that is killed again and again."""

    def __init__(self, case, n, clients, kill_after):
        self.case, self.n, self.kill_after = case, n, kill_after
        self.lock = threading.Lock()
        self.todo = collections.deque(range(n))
        self.jobs = {}  # number: job id, once accepted
        self.proofs = {}  # number: proof, once given
        self.failures = []
        self.kills = 0
        self.d = Daemon(settings={"pipeline.synthesis_concurrency": 2, "pipeline.synthesis_lookahead": 2})
        self.clients = [threading.Thread(target=self.client) for _ in range(clients)]

    def call(self, what):
        """Until the daemon, perhaps a later one, has answered."""
        until = time.monotonic() + PATIENCE
        while True:
            begun = time.monotonic()
            try:
                return what(self.d.rpc)
            except grpc.RpcError as e:
                if e.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
                    raise
            except ValueError:  # the channel was closed under us
                pass
            if time.monotonic() > begun + 1:  # it was there for a while
                until = time.monotonic() + PATIENCE
            check(time.monotonic() < until, "no daemon answers")
            time.sleep(0.02)

    def note(self, number, job_id, proof):
        with self.lock:
            check_equal(self.jobs.setdefault(number, job_id), job_id, f"{number}: job id")
            check_equal(self.proofs.setdefault(number, proof) == proof, True, f"{number} was proved twice")

    def one(self, number):
        req = request(self.case, f"kill {number}")
        job_id = self.call(lambda rpc: rpc.SubmitProof(req)).job_id
        with self.lock:
            check_equal(self.jobs.setdefault(number, job_id), job_id, f"{number}: job id")
        result = self.call(lambda rpc: rpc.AwaitProof(pb.AwaitProofRequest(job_id=job_id)))
        check_equal(result.status, COMPLETED, f"{number}: {result.error_message}")
        self.note(number, job_id, result.proof)

    def client(self):
        try:
            while True:
                with self.lock:
                    if not self.todo:
                        return
                    number = self.todo.popleft()
                self.one(number)
        except BaseException as e:  # noqa: BLE001
            self.failures.append(repr(e))

    def busy(self):
        return any(t.is_alive() for t in self.clients) and not self.failures

    def kill_now_and_then(self, kills):
        while self.busy() and self.kills < kills:
            until = time.monotonic() + random.uniform(*self.kill_after)
            while time.monotonic() < until and self.busy():
                time.sleep(0.005)
            if self.busy():
                self.d.kill()
                self.kills += 1
                self.d.start()

    def check_end(self):
        check_equal(self.failures, [])
        check_equal(len(set(self.jobs.values())), self.n, "jobs")
        for number, job_id in self.jobs.items():
            result = self.d.await_job(job_id)
            check_equal(result.status, COMPLETED, f"{number}: {result.error_message}")
            self.note(number, job_id, result.proof)
        check_equal(len(set(self.proofs.values())), self.n, "different proofs")
        verify(self.case, [self.proofs[i] for i in range(self.n)])
        check_equal(self.d.stop(), 0, "exit status")
        journal = self.d.folder / "journal"
        with contextlib.closing(sqlite3.connect(journal / "journal.db")) as db:
            table = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%job%'").fetchone()[0]
            check_equal(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0], self.n, "rows of the journal")
        check_equal(list((journal / "spool").iterdir()), [], "the spool")


def run_and_kill(case, n, clients, kill_after, kills):
    need_params(circuit_of(case))
    r = Run(case, n, clients, kill_after)
    with r.d:
        for t in r.clients:
            t.start()
        r.kill_now_and_then(kills)
        for t in r.clients:
            t.join()
        r.check_end()
        print(f"{n} jobs, {r.kills} kills")
        check(r.kills > kills // 2, f"only {r.kills} kills")


def test_kill_at_random_points_loses_and_doubles_nothing():
    run_and_kill(CASE, 20, 4, (0.02, 0.6), 8)


def test_slow_kill_at_random_points_of_200_jobs():
    run_and_kill("winning-2k", int(os.environ.get("CUZK_KILL_JOBS", "200")), 8, (0.02, 6), 30)


def test_waiting_clients_learn_of_a_kill_at_once():
    need_params("wpost-2k")
    with Daemon(faults="prove=2000") as d:
        waiting = d.rpc.Prove.future(pb.ProveRequest(submit=request(CASE, "a")))
        d.wait_stage("prove")
        start = time.monotonic()
        d.kill()
        with refused(grpc.StatusCode.UNAVAILABLE):
            waiting.result(PATIENCE)
        check(time.monotonic() - start < 5 * SLOW, "UNAVAILABLE within 5 s")
        d.faults = ""
        d.start()
        check_completed(d.prove(request(CASE, "a")), CASE)


if __name__ == "__main__":
    run(globals())
