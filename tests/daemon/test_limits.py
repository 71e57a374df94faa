"""What a daemon holds and how long it keeps others waiting: requests that never come whole, a full spool at the start."""

import collections
import resource
import sqlite3
import struct
import threading
import time

from golden_daemon import *  # noqa: F403

CASE = "wpost-2k-full"


# --- half a message: HTTP/2 by hand, since no client library would send it -------------------------------------------


class HalfSender:
    """One connection that begins a Prove of `announced` bytes and sends `sent` of them, as far as the daemon lets it.

    It is settled when it can send nothing more and the daemon has read all that it sent: frames are handled in order, so
    that the answer to a SETTINGS frame comes after every window that what went before has opened."""

    PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8

    def __init__(self, path, announced, sent, method="Prove"):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.left = memoryview(b"\0" + struct.pack(">I", announced) + bytes(sent))
        self.windows = {0: 65535, 1: 65535}
        self.first_window = 65535
        self.ended = False  # the daemon has ended the call
        self.status = None  # text of the trailers
        self.lock = threading.Lock()
        self.moved = threading.Condition(self.lock)
        self.settled = False
        self.asked = collections.deque([None])  # SETTINGS frames without an answer: what was left; the first asks nothing
        headers = b"".join(self.literal(k, v) for k, v in (
            (":method", "POST"), (":scheme", "http"), (":path", f"/cuzk.v1.ProvingEngine/{method}"), (":authority", "x"),
            ("te", "trailers"), ("content-type", "application/grpc")))
        self.socket.sendall(self.PREFACE + self.frame(self.SETTINGS, 0, 0, b"")
                            + self.frame(self.HEADERS, 4, 1, headers))
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    @staticmethod
    def literal(name, value):
        return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()

    @staticmethod
    def frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    def send_what_fits(self):
        with self.lock:
            while self.left and not self.ended:
                n = min(len(self.left), self.windows[0], self.windows[1], 16384)
                if n <= 0:
                    break
                self.settled = False
                self.socket.sendall(self.frame(self.DATA, 0, 1, self.left[:n].tobytes()))
                self.left = self.left[n:]
                for stream in (0, 1):
                    self.windows[stream] -= n
            if not self.settled and len(self.asked) < 2 and not self.ended:
                self.asked.append(len(self.left))
                self.socket.sendall(self.frame(self.SETTINGS, 0, 0, b""))
            self.moved.notify_all()

    def wait_settled(self, patience):
        with self.lock:
            check(self.moved.wait_for(lambda: self.settled or self.ended, patience), "the daemon does not settle")

    def receive(self, n):
        out = b""
        while len(out) < n:
            more = self.socket.recv(n - len(out))
            if not more:
                raise EOFError
            out += more
        return out

    def take(self, kind, flags, stream, payload):
        if kind == self.SETTINGS and not flags & 1:
            for at in range(0, len(payload), 6):
                key, value = struct.unpack(">HI", payload[at:at + 6])
                if key == 4:
                    self.windows[1] += value - self.first_window
                    self.first_window = value
            self.socket.sendall(self.frame(self.SETTINGS, 1, 0, b""))
        elif kind == self.SETTINGS:
            self.settled = self.asked.popleft() == len(self.left)
        elif kind == self.PING and not flags & 1:
            self.socket.sendall(self.frame(self.PING, 1, 0, payload))
        elif kind == self.WINDOW_UPDATE and stream in self.windows:
            self.windows[stream] += struct.unpack(">I", payload)[0]
        elif kind == self.HEADERS:
            self.ended, self.status = True, payload
        elif kind in (self.RST_STREAM, self.GOAWAY):
            self.ended = True

    def read(self):
        with contextlib.suppress(OSError, EOFError):
            while True:
                head = self.receive(9)
                length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
                self.take(kind, flags, int.from_bytes(head[5:], "big") & 0x7FFFFFFF, self.receive(length))
                self.send_what_fits()
        with self.lock:
            self.ended = True
            self.moved.notify_all()

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join()


MIB = 1 << 20


@contextlib.contextmanager
def half_senders(d, n, announced, sent, **how):
    senders = [HalfSender(str(d.folder / "cuzk.sock"), announced, sent, **how) for _ in range(n)]
    try:
        yield senders
    finally:
        for s in senders:
            s.close()


def resident_mib(d):
    return d.resources()[0] / 1024


def settled(d, senders):
    """The daemon's memory when nobody sends any more: all is sent, or the daemon takes nothing more."""
    for s in senders:
        s.wait_settled(PATIENCE)
    return resident_mib(d)


def test_halves_of_messages_take_bounded_memory():
    need_params("wpost-2k")
    with Daemon(settings={"daemon.max_message": "16MiB"}) as d:
        check_completed(d.prove(request(CASE, "first")), CASE)
        before = resident_mib(d)
        with half_senders(d, 64, 16 * MIB, 8 * MIB) as senders:
            grown = settled(d, senders) - before
            held = sum(not s.left and not s.ended for s in senders)
            d.status()  # by the other lane
        print(f"64 clients with 8 of 16 MiB each: {grown:.0f} MiB more, {held} of them whole")
        # 16 at a time of 8 MiB, the windows of the others, and what malloc keeps; 512 MiB without a bound
        check(held <= 16, f"of {held} clients the daemon holds all that they sent")
        check(grown < 16 * 8 + 64 + 32 or SANITIZED, f"{grown:.0f} MiB")
        check_completed(d.prove(request(CASE, "last")), CASE)


def test_slow_halves_of_the_largest_messages_leave_the_daemon_serving():
    """More of them than are asked for at a time: the ones that take long make room."""
    need_params("wpost-2k")
    with Daemon() as d:
        check_completed(d.prove(request(CASE, "first")), CASE)
        before = resident_mib(d)
        with half_senders(d, 24, 256 * MIB, 128 * MIB) as senders:
            grown = settled(d, senders) - before
            start = time.monotonic()
            check_completed(d.prove(request(CASE, "among them")), CASE)
            took = time.monotonic() - start
            given_up = sum(s.ended for s in senders)
            told = [s for s in senders if s.status is not None and b"others wait" in s.status]
            print(f"24 clients with 128 of 256 MiB each: {grown:.0f} MiB more; a proof took {took:.1f} s; "
                  f"{given_up} were given up, {len(told)} told why")
            check(given_up > 0 and len(told) > 0, "the oldest made room and was told why")
            check(took < 45 * SLOW, f"{took:.1f} s")
        # the quota of server.c, and what malloc keeps
        check(grown < 8 * 256 + 64 + 256 or SANITIZED, f"{grown:.0f} MiB")
        start = time.monotonic()
        check_completed(d.prove(request(CASE, "last")), CASE)
        check(time.monotonic() - start < 5 * SLOW, "at once, without them")


# --- connections ------------------------------------------------------------------------------------------------------


def test_connections_above_the_descriptors_are_refused_and_the_daemon_serves_on():
    files = 100

    def have_few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    with Daemon(preexec_fn=have_few) as d:
        d.status()
        idle = []
        for _ in range(2 * files):
            s = socket.socket(socket.AF_UNIX)
            s.connect(str(d.folder / "cuzk.sock"))
            idle.append(s)
        with d.new_channel() as channel, refused(grpc.StatusCode.UNAVAILABLE):
            Stub(channel).GetStatus(pb.GetStatusRequest(), timeout=PATIENCE)
        d.status()  # on the connection from before
        check(d.resources()[1] < files - files // 4 + 8, f"{d.resources()[1]} of {files} descriptors are in use")
        check_equal(d.log().count("a connection is refused"), 1, "said once")
        data = b""
        idle[-1].settimeout(PATIENCE)
        while more := idle[-1].recv(4096):
            data += more
        check(b"too many connections" in data, f"{data}")
        for s in idle:
            s.close()
        with d.new_channel() as channel:
            Stub(channel).GetStatus(pb.GetStatusRequest(), timeout=PATIENCE, wait_for_ready=True)


# --- a full spool at the start ----------------------------------------------------------------------------------------


def spooled(like, request_id, n_bytes):
    """The head of a WindowPoSt request in the spool's format (engine/request_codec.h), and the length of its file."""
    u64 = lambda v: struct.pack("<Q", v)  # noqa: E731
    some = lambda b: u64(len(b)) + b  # noqa: E731
    head = b"CZREQ1\n" + some(request_id.encode()) + u64(NORMAL)
    head += u64(WPOST) + u64(like.sector_size) + u64(1) + u64(like.registered_proof) + u64(0) * 4
    head += some(like.randomness) + u64(0) * 3
    head += u64(0) + u64(1) + u64(n_bytes)  # no vanilla_proof, one of vanilla_proofs
    return head, len(head) + n_bytes


def test_a_full_spool_does_not_delay_the_start():
    """40 more jobs of 256 MiB each (holes, so that the disk is not filled). They are looked at when they are taken."""
    need_params("wpost-2k")
    with Daemon(faults="prove=1500") as d:
        real = d.submit(request(CASE, "real", NORMAL))
        d.wait_stage("prove")
        d.kill()
        with contextlib.closing(sqlite3.connect(d.folder / "journal/journal.db")) as db:
            for i in range(40):
                head, length = spooled(request(CASE, ""), f"big {i}", 256 * MIB)
                with open(d.folder / f"journal/spool/{i:032x}", "wb") as f:
                    f.write(head)
                    f.truncate(length)
                db.execute("INSERT INTO jobs (job_id, request_id, content, kind, priority, accepted_ms) VALUES (?, ?, ?, ?, ?, ?)",
                           (f"{i:032x}", f"big {i}", bytes(32), WPOST, NORMAL, 0))
            db.commit()
        start = time.monotonic()
        d.start()
        took = time.monotonic() - start
        print(f"ready after {took:.2f} s with 41 jobs, 10 GiB")
        for i in range(39, 0, -1):
            d.cancel(f"{i:032x}")
        check(took < 3 * SLOW, f"ready after {took:.1f} s")
        check_status(d.await_job(f"{0:032x}"), FAILED, "damaged: its content is not what was accepted")
        check_completed(d.await_job(real), CASE)


# --- wrong inputs -----------------------------------------------------------------------------------------------------


def test_a_damaged_input_fails_its_job_only():
    need_params("wpost-2k")
    with Daemon(faults="prove=600") as d:
        jobs = [d.submit(request(CASE, f"{i}")) for i in range(5)]
        d.wait_stage("prove")
        d.kill()
        path = d.folder / "journal/spool" / jobs[3]
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        d.faults = ""
        d.start()
        check_status(d.await_job(jobs[3]), FAILED, f"{path}: damaged: its content is not what was accepted")
        verify(CASE, [d.await_job(j).proof for j in jobs[:3] + jobs[4:]])


if __name__ == "__main__":
    run(globals())
