#!/usr/bin/python3
"""Throughput with the pipeline against without it, on a mixed load.

    . build/tests/daemon/env && tests/daemon/pipeline_overlap.py [--rounds 5] [--jobs 6] [--trace FILE]

Each round runs the same jobs through a daemon with pipeline.enabled = true and through one with false, in an order that
alternates, so that a drift of the machine hits both. An extra pair with the pipeline on twice shows the noise. Prints
one ratio a round and their median with the range that holds the middle 80 %; --trace writes the stages of the last
round of each as a Chrome trace.
"""

import argparse
import json
import statistics
import threading
import time
import urllib.request

from golden_daemon import *  # noqa: F403

DEFAULT_CASES = "winning-2k,wpost-2k-full,winning-2k,wpost-2k-two"


class Stages:
    """The pipeline as its status page shows it, which is made ten times a second: who is in which stage, from when to
    when. Shorter stages are missed."""

    def __init__(self, address):
        self.url = f"http://{address}/status"
        self.open = {}  # (job, partition): (stage, since)
        self.events = []
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.start = time.monotonic()
        self.thread.start()

    def watch(self):
        while not self.stop.wait(0.05):
            status = json.load(urllib.request.urlopen(self.url))
            now = time.monotonic() - self.start
            seen = {}
            for job in status["pipelines"]:
                for part in job["partitions"]:
                    if part["state"] in ("synthesizing", "gpu"):
                        seen[job["job_id"], part["index"]] = (part["state"], job["proof_kind"])
            for key, (state, kind, since) in list(self.open.items()):
                if seen.get(key, (None,))[0] != state:
                    self.events.append((state, kind, key[0], since, now))
                    del self.open[key]
            for key, (state, kind) in seen.items():
                self.open.setdefault(key, (state, kind, now))

    def finish(self):
        self.stop.set()
        self.thread.join()

    def overlap(self):
        """Seconds in which a witness is made and a proof at once."""
        edges = [(t, d, s) for s, _, _, a, b in self.events for t, d in ((a, 1), (b, -1))]
        count, both, last = {"synthesizing": 0, "gpu": 0}, 0.0, 0.0
        for t, step, stage in sorted(edges):
            if count["synthesizing"] > 0 and count["gpu"] > 0:
                both += t - last
            count[stage] += step
            last = t
        return both

    def chrome(self, pid, name):
        yield {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}}
        for stage, kind, job, a, b in self.events:
            yield {"ph": "X", "pid": pid, "tid": 1 if stage == "synthesizing" else 2, "name": f"{kind} {job[:6]}",
                   "cat": stage, "ts": a * 1e6, "dur": (b - a) * 1e6}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def throughput(options, pipelined, tag, watched=False):
    """(proofs a second, Stages or None)"""
    cases = options.cases.split(",")
    address = f"127.0.0.1:{free_port()}"
    faults = options.faults or ""
    settings = {"pipeline.enabled": pipelined, "memory.total_budget": "8GiB", "journal.dir": "none",
                "daemon.status_listen": address, "experiment.synthesis": options.synthesis}
    with Daemon(settings=settings, faults=faults) as d:
        for case in set(cases):
            check_completed(d.prove(request(case, f"warm {case}"), timeout=None), case)
        stages = Stages(address) if watched else None
        start = time.monotonic()
        jobs = [(c, d.submit(request(c, f"{tag} {i}", NORMAL))) for i, c in enumerate((cases * options.jobs)[:options.jobs])]
        results = [(c, d.await_job(j)) for c, j in jobs]
        seconds = time.monotonic() - start
        if stages:
            stages.finish()
        for case in set(cases):
            verify(case, [r.proof for c, r in results if c == case])
    return options.jobs / seconds, stages


def spread(ratios):
    ratios = sorted(ratios)
    cut = len(ratios) // 10
    return f"{statistics.median(ratios):.3f} ({ratios[cut]:.3f} to {ratios[-1 - cut]:.3f}, {len(ratios)} rounds)"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=6, help="proofs a round and side")
    parser.add_argument("--cases", default=DEFAULT_CASES, help="golden cases, comma-separated, taking turns")
    parser.add_argument("--synthesis", choices=("compiled", "classic"), default="compiled",
                        help="classic: a witness that takes a good part of the proof's time, as before circuits were compiled")
    parser.add_argument("--faults", help='such as "synthesis=300,prove=300": stages that wait without a CPU, as a device has')
    parser.add_argument("--trace", help="write a Chrome trace of one more round of each")
    options = parser.parse_args()
    need_params(*{circuit_of(c) for c in options.cases.split(",")})
    if options.rounds > 0:
        throughput(options, True, "warm-up")
    with_without, noise = [], []
    for i in range(options.rounds):
        sides = [("with", True), ("without", False), ("again", True)]
        rate = {name: throughput(options, on, f"{i} {name}")[0] for name, on in (sides if i % 2 else reversed(sides))}
        with_without.append(rate["with"] / rate["without"])
        noise.append(rate["with"] / rate["again"])
        print(f"round {i}: with {60 * rate['with']:.1f}, without {60 * rate['without']:.1f} proofs a minute: "
              f"{with_without[-1]:.3f} (noise {noise[-1]:.3f})", flush=True)
    if options.rounds > 0:
        print(f"with / without: {spread(with_without)}")
        print(f"with / with:    {spread(noise)}")
    if options.trace:
        events = []
        for pid, (name, on) in enumerate((("with the pipeline", True), ("without", False)), start=1):
            _, stages = throughput(options, on, f"trace {name}", watched=True)
            print(f"{name}: witness and proof at once for {stages.overlap():.2f} s")
            events += stages.chrome(pid, name)
        pathlib.Path(options.trace).write_text(json.dumps({"traceEvents": events}))
        print(f"{options.trace}: open it in chrome://tracing or Perfetto")


if __name__ == "__main__":
    main()
