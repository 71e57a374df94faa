#!/usr/bin/python3
"""Soak: many small proofs of several kinds from many clients; memory, files and threads must stay flat.

    . build/tests/daemon/env && tests/daemon/soak.py [--count 2000] [--clients 16] [--cases winning-2k,wpost-2k-full,…]

Every proof is verified by a separate process at the end. In between clients leave, cancel, repeat requests and send
wrong ones, since error paths leak first. The verdict compares the daemon's resident memory, file descriptors and
threads in the second and the last quarter of the run. Exit status 0 only when all proofs verify and all three are flat.
"""

import argparse
import random
import statistics
import threading
import time

from golden_daemon import *  # noqa: F403

DEFAULT_CASES = "wpost-2k-full,winning-2k,wpost-2k-two,wpost-2k-short,wpost-2k-v1_2"


class Soak:
    def __init__(self, options):
        self.options = options
        self.cases = options.cases.split(",")
        self.lock = threading.Lock()
        self.next = 0
        self.proofs = {case: [] for case in self.cases}
        self.disturbances = 0
        self.failures = []
        self.samples = []  # (done, resident KiB, files, threads)

    def take(self):
        with self.lock:
            if self.next >= self.options.count or self.failures:
                return None
            self.next += 1
            return self.next - 1

    def disturb(self, rpc, dice, number):
        """What real clients do beside asking for proofs."""
        case = dice.choice(self.cases)
        req = request(case, f"disturbance {number}")
        kind = dice.randrange(4)
        try:
            if kind == 0:  # a client that leaves
                call = rpc.Prove.future(pb.ProveRequest(submit=req))
                time.sleep(dice.random() * 0.05)
                call.cancel()
            elif kind == 1:  # a job that is cancelled
                rpc.CancelProof(pb.CancelProofRequest(job_id=rpc.SubmitProof(req).job_id))
            elif kind == 2:  # a damaged vanilla proof
                proof = bytearray((req.vanilla_proofs or [req.vanilla_proof])[0])
                proof[dice.randrange(len(proof))] ^= 1
                bad = request(case, f"damaged {number}", **({"vanilla_proofs": [bytes(proof)]} if req.vanilla_proofs
                                                            else {"vanilla_proof": bytes(proof)}))
                result = rpc.Prove(pb.ProveRequest(submit=bad)).result
                if result.status == COMPLETED:
                    self.proofs[case].append(result.proof)  # the byte did not matter, or the check below fails
            else:
                rpc.Prove(pb.ProveRequest(submit=req), timeout=0.05)
        except grpc.RpcError:
            pass
        with self.lock:
            self.disturbances += 1

    def client(self, d, n):
        dice = random.Random(n)
        try:
            with d.new_channel() as channel:
                rpc = Stub(channel)
                while (number := self.take()) is not None:
                    case = self.cases[number % len(self.cases)]
                    result = rpc.Prove(pb.ProveRequest(submit=request(case, f"soak {number}"))).result
                    check_equal(result.status, COMPLETED, f"{number}, {case}: {result.error_message}")
                    with self.lock:
                        self.proofs[case].append(result.proof)
                    if self.options.disturb > 0 and number % self.options.disturb == 0:
                        self.disturb(rpc, dice, number)
        except BaseException as e:  # noqa: BLE001
            self.failures.append(f"client {n}: {e!r}")

    def sample(self, d):
        done = sum(len(p) for p in self.proofs.values())
        self.samples.append((done, *d.resources()))
        if self.options.verbose:
            print("%6d proofs  %8d KiB  %4d files  %3d threads" % self.samples[-1], flush=True)

    def run(self, d):
        threads = [threading.Thread(target=self.client, args=(d, n)) for n in range(self.options.clients)]
        for t in threads:
            t.start()
        while any(t.is_alive() for t in threads):
            self.sample(d)
            time.sleep(self.options.every)

    def verdict(self):
        quarter = len(self.samples) // 4
        names = ("resident KiB", "files", "threads")
        flat = quarter > 0
        for i, name in enumerate(names, start=1):
            early = [s[i] for s in self.samples[quarter:2 * quarter]] or [0]
            late = [s[i] for s in self.samples[-max(quarter, 1):]]
            a, b = statistics.median(early), statistics.median(late)
            slack = 0.05 * a + 4096 if i == 1 else 3
            flat = flat and b <= a + slack
            print(f"{name}: median {a:.0f} in the second quarter, {b:.0f} in the last, "
                  f"least {min(s[i] for s in self.samples)}, most {max(s[i] for s in self.samples)}"
                  f"{'' if b <= a + slack else '   GROWS'}")
        return flat


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--cases", default=DEFAULT_CASES, help="golden cases, comma-separated, taking turns")
    parser.add_argument("--disturb", type=int, default=10, help="one disturbance in so many proofs; 0: none")
    parser.add_argument("--every", type=float, default=1.0, help="seconds between samples")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    soak = Soak(options)
    need_params(*{circuit_of(c) for c in soak.cases})
    with Daemon(settings={"memory.total_budget": "6GiB", "journal.keep_results": "10s"}) as d:
        for case in soak.cases:
            check_completed(d.prove(request(case, f"warm {case}")), case)
        start = time.monotonic()
        soak.run(d)
        seconds = time.monotonic() - start
        check_equal(soak.failures, [])
        d.wait_idle()
        for case, proofs in soak.proofs.items():
            verify(case, proofs)
        n = sum(len(p) for p in soak.proofs.values())
        print(f"{n} proofs verified, {soak.disturbances} disturbances, {options.clients} clients, {seconds:.0f} s, "
              f"{60 * n / seconds:.1f} proofs a minute, "
              f"{d.counter('cuzk_self_check_failures_total'):.0f} self-check failures")
        flat = soak.verdict()
    sys.exit(0 if flat else 1)


if __name__ == "__main__":
    main()
