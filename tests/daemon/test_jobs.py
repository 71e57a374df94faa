"""What becomes of jobs: equal requests, cancelling, deadlines, clients that leave, a full queue."""

import threading
import time

from golden_daemon import *  # noqa: F403

CASE, OTHER = "wpost-2k-full", "wpost-2k-two"  # the smallest circuit, two contents


def daemon(**options):
    need_params("wpost-2k")
    return Daemon(**options)


def ended(d, result):
    return d.counter("cuzk_jobs_ended_total", result=result)


# --- equal requests ---------------------------------------------------------------------------------------------------


def test_equal_requests_are_one_job_in_every_state():
    with daemon(faults="synthesis=150,prove=250") as d:
        d.submit(request(CASE, "first in line"))
        a = d.submit(request(CASE, "a"))
        for stage in ("queued", "synthesis", "waiting", "prove"):
            if stage != "queued":
                d.wait_stage(stage)
            check_equal(d.submit(request(CASE, "a")), a, stage)
        provers = [threading.Thread(target=lambda: results.append(d.prove(request(CASE, "a")))) for _ in range(3)]
        results = []
        for t in provers:
            t.start()
        for t in provers:
            t.join()
        results.append(d.await_job(a))
        check_equal(d.submit(request(CASE, "a")), a, "completed")
        results.append(d.await_job(a))
        check_completed(results[0], CASE)
        for r in results:
            check_equal((r.job_id, r.proof), (a, results[0].proof), "the same proof for all")
        check_equal(d.counter("cuzk_jobs_accepted_total"), 2, "accepted")
        check_equal(d.counter("cuzk_jobs_joined_total"), 8, "joined")


def test_the_same_id_with_other_content_is_another_job_in_every_state():
    with daemon(faults="prove=200") as d:
        d.submit(request(CASE, "first in line"))
        a = d.submit(request(CASE, "a"))
        b = d.submit(request(OTHER, "a"))  # a is queued
        d.wait_for("a to be in work", lambda: d.counter("cuzk_proofs_completed_total") == 1)
        c = d.submit(request("wpost-2k-short", "a"))  # a is running
        check_completed(d.await_job(a), CASE)
        e = d.submit(request("wpost-2k-v1_2", "a"))  # a has ended
        check_equal(len({a, b, c, e}), 4, "ids")
        check_completed(d.await_job(b), OTHER)
        check_completed(d.await_job(c), "wpost-2k-short")
        check_completed(d.await_job(e), "wpost-2k-v1_2")
        check_completed(d.prove(request(CASE, "a")), CASE)
        check_equal(d.counter("cuzk_jobs_accepted_total"), 5, "accepted")


def test_what_failed_or_was_cancelled_or_was_late_runs_again():
    with daemon(faults="flip=wpost:0:2,prove=200") as d:
        a = d.submit(request(CASE, "a"))
        check_status(d.await_job(a), FAILED, "partition 0: self-check failed twice")
        check_equal(d.submit(request(CASE, "a")), a, "id")
        check(d.cancel(a), "it was running")
        check_status(d.await_job(a), CANCELLED)
        with refused(grpc.StatusCode.DEADLINE_EXCEEDED):
            d.prove(request(CASE, "a"), timeout=0.1)
        d.wait_for("the end of the late one", lambda: ended(d, "timeout") + ended(d, "cancelled") == 2)
        check_completed(d.prove(request(CASE, "a")), CASE)
        check_equal(d.counter("cuzk_jobs_accepted_total"), 4, "accepted")


def test_a_finished_proof_is_given_again_after_a_restart():
    with daemon() as d:
        a = d.submit(request(CASE, "a"))
        before = d.await_job(a)
        check_completed(before, CASE)
        check_equal(d.stop(), 0, "exit status")
        d.start()
        check_equal(d.await_job(a).proof, before.proof, "proof")
        check_equal(d.prove(request(CASE, "a")).proof, before.proof, "proof")
        check_equal(d.counter("cuzk_jobs_accepted_total"), 0, "accepted after the restart")
        check(d.submit(request(OTHER, "a")) != a, "other content")


# --- cancelling -------------------------------------------------------------------------------------------------------


def test_cancel_in_every_state():
    with daemon(faults="synthesis=800,prove=1000") as d:
        check_completed(d.prove(request(CASE, "warm")), CASE)
        d.wait_idle()
        reserved = d.metrics()["cuzk_memory_reserved_bytes"]
        for state in ("queued", "synthesis", "waiting", "prove"):
            busy = [d.submit(request(CASE, f"before {state}, {i}")) for i in range({"queued": 1, "waiting": 1}.get(state, 0))]
            a = d.submit(request(CASE, state))
            d.wait_stage("prove" if state == "queued" else state)
            start = time.monotonic()
            check(d.cancel(a), f"{state}: was running")
            check_status(d.await_job(a), CANCELLED)
            took = time.monotonic() - start
            check(took < 0.7 * SLOW, f"{state}: told after {took:.3f} s, which its stage may have taken")
            check(not d.cancel(a), f"{state}: had ended")
            for job in busy:
                check_equal(d.await_job(job).status, COMPLETED, state)
            d.wait_idle()
            d.wait_for("the memory", lambda: d.metrics()["cuzk_memory_reserved_bytes"] == reserved)
        done = d.submit(request(CASE, "warm"))
        check(not d.cancel(done), "a completed job")
        check_equal(d.await_job(done).status, COMPLETED, "it keeps its proof")
        with refused(grpc.StatusCode.NOT_FOUND, "0123456789abcdef"):
            d.cancel("0123456789abcdef0123456789abcdef")
        check_equal(ended(d, "cancelled"), 4, "cancelled")


# --- deadlines and clients that leave -------------------------------------------------------------------------------------


def test_a_deadline_ends_the_job():
    with daemon(faults="prove=400") as d:
        with refused(grpc.StatusCode.DEADLINE_EXCEEDED):
            d.prove(request(CASE, "running"), timeout=0.25)
        d.wait_for("its end", lambda: ended(d, "timeout") + ended(d, "cancelled") == 1)
        busy = d.submit(request(CASE, "busy"))
        with refused(grpc.StatusCode.DEADLINE_EXCEEDED):
            d.prove(request(CASE, "queued"), timeout=0.15)
        d.wait_for("its end", lambda: ended(d, "timeout") + ended(d, "cancelled") == 2)
        check_completed(d.await_job(busy), CASE)
        d.wait_idle()


def test_awaiting_has_its_own_time():
    with daemon(faults="prove=400") as d:
        a = d.submit(request(CASE, "a"))
        with refused(grpc.StatusCode.DEADLINE_EXCEEDED):
            d.await_job(a, timeout_ms=100)
        check_completed(d.await_job(a), CASE)
        with refused(grpc.StatusCode.NOT_FOUND, "0123456789abcdef"):
            d.await_job("0123456789abcdef0123456789abcdef")


def leave(d, req, channel=None):
    """Begin a Prove, and drop it once the job is accepted or joined."""
    def known():
        return d.counter("cuzk_jobs_accepted_total") + d.counter("cuzk_jobs_joined_total")

    before = known()
    call = (Stub(channel) if channel else d.rpc).Prove.future(pb.ProveRequest(submit=req))
    d.wait_for("the job", lambda: known() > before)
    if channel:
        channel.close()
    else:
        call.cancel()


def test_a_client_that_leaves_takes_its_job_with_it():
    with daemon(faults="synthesis=200,prove=300") as d:
        leave(d, request(CASE, "cancelled call"))
        d.wait_for("its end", lambda: ended(d, "cancelled") == 1)
        leave(d, request(CASE, "lost connection"), d.new_channel())
        d.wait_for("its end", lambda: ended(d, "cancelled") == 2)
        d.wait_idle()


def test_a_client_that_leaves_takes_nothing_from_others():
    with daemon(faults="synthesis=200,prove=300") as d:
        other = d.rpc.Prove.future(pb.ProveRequest(submit=request(CASE, "shared")))
        d.wait_stage("synthesis")
        one = d.rpc.Prove.future(pb.ProveRequest(submit=request(CASE, "shared")))
        d.wait_for("the second to join", lambda: d.counter("cuzk_jobs_joined_total") == 1)
        one.cancel()
        check_completed(other.result(PATIENCE).result, CASE)
        a = d.submit(request(CASE, "submitted"))
        leave(d, request(CASE, "submitted"))
        check_completed(d.await_job(a), CASE)
        check_equal(ended(d, "cancelled"), 0, "cancelled")


# --- the queue --------------------------------------------------------------------------------------------------------


def test_a_full_queue_refuses_and_the_count_is_exact():
    with daemon(settings={"scheduler.max_queue": 3}, faults="prove=300") as d:
        jobs = [d.submit(request(CASE, f"{i}")) for i in range(3)]
        check_equal(sum(q.pending + q.in_progress for q in d.status().queues), 3, "jobs in the status")
        with refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "queue is full: 3 jobs"):
            d.submit(request(CASE, "3"))
        check_equal(d.submit(request(CASE, "1")), jobs[1], "joining needs no place")
        check_equal(d.await_job(jobs[0]).status, COMPLETED)
        check_completed(d.prove(request(CASE, "3")), CASE)
        verify(CASE, [d.await_job(j).proof for j in jobs])


def test_several_clients_at_once_get_their_own_proofs():
    cases = [CASE, OTHER, "wpost-2k-short", "wpost-2k-v1_2"]
    proofs = {c: [] for c in cases}
    failures = []

    def client(n):
        try:
            channel = d.new_channel()
            case = cases[n % len(cases)]
            result = Stub(channel).Prove(pb.ProveRequest(submit=request(case, f"{n}"))).result
            check_equal(result.status, COMPLETED, result.error_message)
            proofs[case].append(result.proof)
            channel.close()
        except Exception as e:  # noqa: BLE001
            failures.append(repr(e))

    with daemon(settings={"pipeline.synthesis_concurrency": 2, "pipeline.synthesis_lookahead": 3}) as d:
        threads = [threading.Thread(target=client, args=(n,)) for n in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        check_equal(failures, [])
        for case in cases:
            check_equal(len(proofs[case]), 2, case)
            verify(case, proofs[case])


# --- compiled circuits ------------------------------------------------------------------------------------------------


def test_compiled_circuits_are_kept_where_the_settings_say():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, settings, env, where in (("setting", {"synthesis.circuit_cache": str(folder / "a")}, {}, "a"),
                                           ("service", {}, {"CACHE_DIRECTORY": str(folder / "b")}, "b"),
                                           ("none", {"synthesis.circuit_cache": "none"}, {"XDG_CACHE_HOME": str(folder / "c")}, None)):
            with daemon(settings=settings, env=env) as d:
                check_completed(d.prove(request(CASE, name)), CASE)
            found = sorted(str(p.relative_to(folder)) for p in folder.rglob("*.cuzk-circuit"))
            check_equal([f for f in found if where and f.startswith(where + "/wpost-2k-v")] != [], where is not None, f"{name}: {found}")
            check(not (folder / "c").exists(), "nowhere else")


if __name__ == "__main__":
    run(globals())
