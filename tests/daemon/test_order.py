"""Who goes first: priorities, and the collecting of batches."""

import threading
import time

from golden_daemon import *  # noqa: F403

CASE = "wpost-2k-full"
CASES = {"porep": "porep-2k-v1_1", "snap": "snap-2k", "wpost": CASE, "winning": "winning-2k"}
URGENCY = {"porep": NORMAL, "snap": NORMAL, "wpost": HIGH, "winning": CRITICAL}  # without a priority of their own


class Finish:
    """The order in which jobs end."""

    def __init__(self, d):
        self.d, self.order, self.results, self.threads = d, [], {}, []
        self.lock = threading.Lock()

    def watch(self, name, job_id):
        def wait():
            result = self.d.await_job(job_id)
            with self.lock:
                self.order.append(name)
                self.results[name] = result

        self.threads.append(threading.Thread(target=wait))
        self.threads[-1].start()

    def all(self):
        for t in self.threads:
            t.join()
        return self.order


def pair(d, name, running, waiting, arriving):
    """One job runs, another of its kind waits, a third arrives: the order in which they end."""
    finish = Finish(d)
    d.wait_idle()
    finish.watch("running", d.submit(running))
    d.wait_stage("prove")
    finish.watch("waiting", d.submit(waiting))
    finish.watch("arriving", d.submit(arriving))
    order = finish.all()
    for who, result in finish.results.items():
        check_equal(result.status, COMPLETED, f"{name}: {who}: {result.error_message}")
    return order, finish.results


def in_order(running):
    """While one job runs others come in: every pair of priorities, earlier and later, is among them."""
    need_params("wpost-2k")
    arriving = [(f"{n} {p}", p) for n, ps in enumerate(([LOW, NORMAL, HIGH, CRITICAL], [CRITICAL, HIGH, NORMAL, LOW]))
                for p in ps]
    with Daemon(faults=f"prove={300 * SLOW:.0f}") as d:
        finish = Finish(d)
        finish.watch("running", d.submit(request(CASE, "running", running)))
        d.wait_stage("prove")
        for name, priority in arriving:
            finish.watch(name, d.submit(request(CASE, name, priority)))
        order = finish.all()
        expected = ["running"] + [name for name, _ in sorted(arriving, key=lambda x: -x[1])]
        check_equal(order, expected, "order")
        verify(CASE, [r.proof for r in finish.results.values()])


def test_every_pair_of_priorities_while_a_low_one_runs():
    in_order(LOW)


def test_every_pair_of_priorities_while_a_critical_one_runs():
    in_order(CRITICAL)


def test_joining_raises_the_priority():
    need_params("wpost-2k")
    with Daemon(faults=f"prove={800 * SLOW:.0f}") as d:
        finish = Finish(d)
        finish.watch("running", d.submit(request(CASE, "running", NORMAL)))
        d.wait_stage("prove")
        for i in (1, 2):
            finish.watch(i, d.submit(request(CASE, f"job {i}", NORMAL)))
        d.submit(request(CASE, "job 2", CRITICAL))
        check_equal(finish.all(), ["running", 2, 1], "order")


def test_slow_every_pair_of_kinds():
    """By the kinds' own priorities, with real proofs of all four circuits."""
    need_params(*(circuit_of(c) for c in CASES.values()))
    waits = []
    with Daemon(faults="prove=200", settings={"memory.total_budget": "12GiB"}) as d:
        for kind, case in CASES.items():
            check_completed(d.prove(request(case, f"warm {kind}")), case)
        for r, running in CASES.items():
            for a, arriving in CASES.items():
                name = f"running {r}, arriving {a}"
                order, results = pair(d, name, request(running, f"{name}: running"),
                                      request(running, f"{name}: waiting"), request(arriving, f"{name}: arriving"))
                if URGENCY[a] > URGENCY[r]:
                    check(order.index("arriving") < order.index("waiting"), f"{name}: {order}")
                else:
                    check(order.index("waiting") < order.index("arriving"), f"{name}: {order}")
                verify(arriving, [results["arriving"].proof])
                waits.append(f"{r:8} {a:8} {results['arriving'].queue_wait_ms:6} ms until the arriving one began, "
                             f"{results['arriving'].total_ms:6} ms in all")
    print("running  arriving", *waits, sep="\n")


# --- batches: PoRep and Snap only -------------------------------------------------------------------------------------

SNAP_CASE = "snap-2k"


def collecting(size, wait_ms):
    need_params("snap-2k", "wpost-2k")
    d = Daemon(settings={"scheduler.max_batch_size": size, "scheduler.max_batch_wait_ms": wait_ms,
                         "memory.total_budget": "8GiB"})
    d.rpc.PreloadSRS(pb.PreloadSrsRequest(circuit_id="snap-2k"))
    return d


def batches(d):
    return {r: int(d.counter("cuzk_batches_total", reason=r)) for r in ("size", "time", "urgent")}


def in_work(d, kind="snap-update"):
    """(waiting, in work) of this kind."""
    for q in d.status().queues:
        if q.proof_kind == kind:
            return q.pending, q.in_progress
    return 0, 0


def drop(d, jobs):
    for j in jobs:
        d.cancel(j)
    d.wait_idle()


def test_slow_a_batch_goes_when_it_is_full_and_the_next_one_waits():
    with collecting(2, 600000) as d:
        jobs = [d.submit(request(SNAP_CASE, "0"))]
        time.sleep(0.5)
        check_equal(in_work(d), (1, 0), "one waits for another")
        jobs.append(d.submit(request(SNAP_CASE, "1")))
        d.wait_for("the full batch", lambda: in_work(d)[1] > 0)
        jobs.append(d.submit(request(SNAP_CASE, "2")))  # overflow
        verify(SNAP_CASE, [d.await_job(j).proof for j in jobs[:2]])
        time.sleep(0.5)
        check_equal(in_work(d), (1, 0), "what is too much for a batch waits for the next")
        check_equal(batches(d), {"size": 1, "time": 0, "urgent": 0})
        jobs.append(d.submit(request(SNAP_CASE, "3")))
        d.wait_for("the second batch", lambda: in_work(d)[1] > 0)
        check_equal(batches(d), {"size": 2, "time": 0, "urgent": 0})
        drop(d, jobs)


def test_slow_a_batch_goes_when_its_time_is_up():
    with collecting(8, 1500) as d:
        start = time.monotonic()
        jobs = [d.submit(request(SNAP_CASE, f"{i}")) for i in range(3)]
        time.sleep(0.7)
        check_equal(in_work(d), (3, 0), "collecting")
        d.wait_for("the batch", lambda: in_work(d)[1] > 0)
        took = time.monotonic() - start
        check(1.4 < took < 3 * SLOW, f"let go after {took:.2f} s")
        check_equal(batches(d), {"size": 0, "time": 1, "urgent": 0})
        drop(d, jobs)


def test_slow_post_bypasses_the_collector_and_flushes_it():
    with collecting(8, 600000) as d:
        jobs = [d.submit(request(SNAP_CASE, f"{i}")) for i in range(2)]
        check_completed(d.prove(request(CASE, "low", LOW)), CASE)
        check_equal(in_work(d), (2, 0), "a PoSt that is not urgent passes by")
        urgent = d.submit(request(CASE, "urgent"))
        d.wait_for("the batch", lambda: in_work(d)[1] > 0)
        check_completed(d.await_job(urgent), CASE)
        check_equal(batches(d), {"size": 0, "time": 0, "urgent": 1})
        drop(d, jobs)


def test_slow_a_collecting_job_is_cancelled_and_survives_a_restart():
    with collecting(3, 600000) as d:
        jobs = [d.submit(request(SNAP_CASE, f"{i}")) for i in range(2)]
        check(d.cancel(jobs[0]), "it was there")
        check_status(d.await_job(jobs[0]), CANCELLED)
        d.kill()
        d.start()
        check_equal(in_work(d), (1, 0), "collecting again")
        jobs += [d.submit(request(SNAP_CASE, f"{i}")) for i in (2, 3)]
        d.wait_for("the full batch", lambda: in_work(d)[1] > 0)
        drop(d, jobs)


if __name__ == "__main__":
    run(globals())
