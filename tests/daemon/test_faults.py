"""What goes wrong: wrong bits, parameter files, memory, disks. Each is a clear error, and the daemon serves on."""

import json
import resource
import time

from golden_daemon import *  # noqa: F403

CASE = "wpost-2k-full"
CASES = {"wpost": CASE, "winning": "winning-2k", "snap": "snap-2k", "porep": "porep-2k-v1_1"}
METRIC_KIND = {"wpost": "window_post", "winning": "winning_post", "snap": "snap_update", "porep": "porep_c2"}


def serves_on(d, name="still there"):
    check_completed(d.prove(request(CASE, name)), CASE)


# --- wrong bits -------------------------------------------------------------------------------------------------------


def flipped_bit(kind):
    """One bit of each of the five sums, one after another. Two wrong proofs fail a job; one is made again, and nobody but the
    operator notices."""
    case = CASES[kind]
    need_params(circuit_of(case))
    with Daemon(faults=f"flip={kind}:0:5:*", settings={"memory.total_budget": "8GiB"}) as d:
        for name in ("twice", "twice again"):
            check_status(d.prove(request(case, name), timeout=None), FAILED, "partition 0: self-check failed twice")
        check_completed(d.prove(request(case, "once"), timeout=None), case)
        check_completed(d.prove(request(case, "never"), timeout=None), case)
        labels = {"proof_kind": METRIC_KIND[kind]}
        check_equal(d.counter("cuzk_self_check_failures_total", **labels), 5, "failures counted")
        check_equal(d.counter("cuzk_partition_retries_total", **labels), 3, "retries counted")
        check_equal(d.counter("cuzk_jobs_ended_total", result="failed", **labels), 2, "failed jobs")
        check_equal(d.counter("cuzk_self_check_failures_total"), 5, "of other kinds")
        named = [line for line in d.log().splitlines() if "partition 0: self-check failed" in line and kind in line]
        check(len(named) >= 5, f"the log names the partition: {named}")


def test_a_flipped_bit_in_a_window_proof_never_reaches_a_client():
    flipped_bit("wpost")


def test_slow_a_flipped_bit_in_a_winning_proof_never_reaches_a_client():
    flipped_bit("winning")


def test_slow_a_flipped_bit_in_a_snap_proof_never_reaches_a_client():
    flipped_bit("snap")


def test_slow_a_flipped_bit_in_a_porep_proof_never_reaches_a_client():
    flipped_bit("porep")


def test_ordered_faults_are_announced():
    need_params("wpost-2k")
    with Daemon(faults="synthesis=1") as d:
        check("synthesis=1" in d.log(), "a daemon under test says so")
    try:
        Daemon(faults="nonsense=1")
    except AssertionError as e:
        check("nonsense" in str(e), str(e))
    else:
        check(False, "an unknown fault stops the start")


# --- parameter files --------------------------------------------------------------------------------------------------


def why_not(d, name):
    """What a request for the first circuit is told while its parameters are unusable."""
    try:
        result = d.prove(request(CASE, name))
    except grpc.RpcError as e:
        check(e.code() in (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.INVALID_ARGUMENT),
              f"{name}: {e.code()}: {e.details()}")
        return e.details()
    check_equal(result.status, FAILED, name)
    return result.error_message


def test_unusable_parameter_files_are_named_and_nothing_else_suffers():
    need_params("wpost-2k", "winning-2k")
    whole = params_file("wpost-2k").read_bytes()
    page = b"<html><head><title>502 Bad Gateway</title></head>" + b"<body>nginx</body></html>" * 20
    forms = {
        "missing": None,
        "an error page": page[:322],
        "zeros of the right length": bytes(len(whole)),
        "the parameters of winning-2k": params_file("winning-2k").read_bytes(),
        **{f"cut to {n} bytes": whole[:n] for n in (0, 1, 4, 1000, 100000, len(whole) // 2, len(whole) - 1)},
    }
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        path, other = folder / params_file("wpost-2k").name, params_file("winning-2k")
        (folder / other.name).symlink_to(other)
        with Daemon(params=folder) as d:
            for name, data in forms.items():
                path.unlink(missing_ok=True)
                if data is not None:
                    path.write_bytes(data)
                said = why_not(d, name)
                check(str(path) in said, f"{name}: '{said}' should name {path}")
                if "winning" in name:
                    check("belongs to circuit winning-2k, not to wpost-2k" in said, said)
            check_completed(d.prove(request("winning-2k", "another circuit")), "winning-2k")
            path.unlink()
            path.symlink_to(params_file("wpost-2k"))
            serves_on(d, "repaired")


def test_a_missing_folder_is_said_at_submit():
    with tempfile.TemporaryDirectory() as folder:
        nowhere = f"{folder}/not/there"
        with Daemon(params=nowhere) as d:
            with refused(grpc.StatusCode.FAILED_PRECONDITION, nowhere):
                d.submit(request(CASE, "a"))
            with refused(grpc.StatusCode.FAILED_PRECONDITION, nowhere):
                d.rpc.PreloadSRS(pb.PreloadSrsRequest(circuit_id="wpost-2k"))


def test_one_changed_byte_never_gives_a_wrong_proof():
    """A damaged point is refused when the file is opened, or its proofs fail their self-check."""
    need_params("wpost-2k")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / params_file("wpost-2k").name
        whole = params_file("wpost-2k").read_bytes()
        for at in (len(whole) // 3, len(whole) // 2, len(whole) - 200):
            data = bytearray(whole)
            data[at] ^= 1
            path.write_bytes(data)
            with Daemon(params=folder) as d:
                try:
                    result = d.prove(request(CASE, "a"))
                except grpc.RpcError as e:
                    check(str(path) in e.details(), e.details())
                    continue
                check_equal(result.status, FAILED, f"byte {at}")
                check(str(path) in result.error_message or "self-check failed" in result.error_message,
                      result.error_message)


# --- memory -----------------------------------------------------------------------------------------------------------


def test_a_budget_that_is_too_small_says_so():
    need_params("wpost-2k", "winning-2k")
    with Daemon(settings={"memory.total_budget": "160MiB"}) as d:
        with refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "the budget is 160.0 MiB"):
            d.submit(request("winning-2k", "a"))
        serves_on(d)


def test_a_short_allocation_fails_its_job_only():
    need_params("wpost-2k")
    with Daemon(faults="nomem=wpost:0:1") as d:
        check_status(d.prove(request(CASE, "a")), FAILED, "partition 0: no memory for the witness")
        serves_on(d)
        check_completed(d.prove(request(CASE, "a")), CASE)


# --- disks ------------------------------------------------------------------------------------------------------------


def journal_fails(d, break_it, mend, text):
    """While the journal cannot be written new jobs are refused, finished proofs can still be had; then it goes on."""
    done = d.submit(request(CASE, "before"))
    proof = d.await_job(done).proof
    break_it()
    with refused(grpc.StatusCode.INTERNAL, text):
        d.submit(request(CASE, "meanwhile"))
    check_equal(d.await_job(done).proof, proof, "a finished proof")
    check(d.counter("cuzk_journal_errors_total") > 0, "counted")
    mend()
    serves_on(d)
    verify(CASE, [proof])


def mount(folder, options):
    run = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True)
    if run.returncode != 0:
        raise Skip("nothing may be mounted here")


def umount(folder):
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_refuses_and_the_daemon_serves_on():
    need_params("wpost-2k")
    with tempfile.TemporaryDirectory() as disk:
        mount(disk, "size=1m")
        try:
            with Daemon(settings={"journal.dir": f"{disk}/journal"}) as d:
                ballast = pathlib.Path(disk) / "ballast"

                def fill():
                    with contextlib.suppress(OSError), open(ballast, "wb", buffering=0) as f:
                        while f.write(bytes(4096)) == 4096:
                            pass

                journal_fails(d, fill, ballast.unlink, "journal")
        finally:
            umount(disk)


def test_a_read_only_spool_refuses_and_the_daemon_serves_on():
    need_params("wpost-2k")
    with Daemon() as d:
        spool = d.folder / "journal/spool"
        journal_fails(d, lambda: mount(spool, "ro"), lambda: umount(spool), "spool")


def test_a_file_size_limit_refuses_and_the_daemon_serves_on():
    """The same as a full disk, for machines where nothing can be mounted."""
    need_params("wpost-2k")
    with Daemon() as d:
        pid = d.process.pid
        soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        journal_fails(d, lambda: resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, hard)),
                      lambda: resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard)), "journal")


def test_a_spool_that_is_no_folder_refuses_and_the_daemon_serves_on():
    need_params("wpost-2k")
    with Daemon() as d:
        spool, aside = d.folder / "journal/spool", d.folder / "aside"

        def break_it():
            spool.rename(aside)
            spool.write_text("")

        def mend():
            spool.unlink()
            aside.rename(spool)

        journal_fails(d, break_it, mend, "spool")


def test_a_journal_that_cannot_be_opened_stops_the_start():
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "file").write_text("")
        try:
            Daemon(settings={"journal.dir": f"{folder}/file"})
        except AssertionError as e:
            check(f"{folder}/file" in str(e), str(e))
        else:
            check(False, "the daemon started")


def test_a_second_daemon_on_the_same_journal_or_socket_is_refused():
    with Daemon() as d:
        for setting, other in (("journal.dir", {"daemon.listen": f"unix://{d.folder}/other.sock"}),
                               ("daemon.listen", {"journal.dir": f"{d.folder}/other"})):
            try:
                Daemon(settings={setting: d.settings[setting], **other})
            except AssertionError as e:
                check(f"{d.folder}" in str(e), str(e))
            else:
                check(False, f"two daemons have {setting}")
        check_equal(d.status().total_proofs_completed, 0, "the first one answers")


if __name__ == "__main__":
    run(globals())
