#!/usr/bin/env python3
"""Make the seeds that come from golden data: bincode vanilla proofs, keys, parameter files, proofs, small requests.

Run by hand after a change of the golden data:  tests/fuzz/make_seeds.py
Everything it writes is committed under tests/fuzz/seeds/.
"""
import base64
import json
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent / "vectors" / "golden"
SEEDS = HERE / "seeds"


def write(target, name, data):
    path = SEEDS / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


# --- bincode: little-endian, u64 lengths, u32 enum tags ---


def u32(v):
    return struct.pack("<I", v)


def u64(v):
    return struct.pack("<Q", v)


def seq(items, encode):
    return u64(len(items)) + b"".join(encode(x) for x in items)


def inclusion(proof):
    single = proof["data"]["Single"]
    path = seq(single["path"]["path"], lambda e: seq(e["hashes"], bytes) + u64(e["index"]))
    return u32(0) + bytes(single["root"]) + bytes(single["leaf"]) + path


def column(c):
    return u32(c["column"]["index"]) + seq(c["column"]["rows"], bytes) + inclusion(c["inclusion_proof"])


def label(p):
    return seq(p["parents"], bytes) + u32(p["layer_index"]) + u64(p["node"])


def opening(o):
    columns = o["replica_column_proofs"]
    return b"".join([
        inclusion(o["comm_d_proofs"]), inclusion(o["comm_r_last_proof"]), column(columns["c_x"]),
        seq(columns["drg_parents"], column), seq(columns["exp_parents"], column),
        seq(o["labeling_proofs"], label), label(o["encoding_proof"]),
    ])


def bincode_c1(c1, registered_proof):
    (partitions,) = c1["vanilla_proofs"].values()
    head = u32(registered_proof) + u32(0)  # variant 0: 2 KiB
    tail = b"".join(bytes(c1[k]) for k in ("comm_r", "comm_d", "replica_id", "seed", "ticket"))
    return head + seq(partitions, lambda p: seq(p, opening)) + tail


def make_c1():
    for name, number in (("porep-2k-v1", 0), ("porep-2k-v1_1", 5)):
        c1 = json.loads((GOLDEN / "cases" / name / "c1.json").read_text())
        meta = json.loads((GOLDEN / "cases" / name / "meta.json").read_text())
        body = bincode_c1(c1, number)
        write("c1_bincode", f"{name}.bin", body)
        write("c1_bincode", f"{name}-c2-input.bin", u32(0) + body + bytes.fromhex(meta["prover_id"]) + u64(int(meta["sector_number"])))


# --- bincode of PoSt sectors and update partitions: golden ones, and well-formed zeros of the other tree shapes ---

ZERO = bytes(32)


def levels(arities):
    return seq(arities, lambda arity: seq([ZERO] * (arity - 1), bytes) + u64(0))


def zero_inclusion(base, sub=None, top=None):
    if sub is None:
        return u32(0) + ZERO + ZERO + levels(base)
    tops = levels([top]) if top is not None else b""
    return u32(2 if top is not None else 1) + levels(base) + levels([sub]) + tops + ZERO + ZERO


def zero_sector(proof, n):
    return u64(7) + ZERO + u64(1) + u64(n) + proof * n + ZERO + ZERO


def zero_partition(proof_r, proof_d, n_apex, n):
    return ZERO + seq([ZERO] * n_apex, bytes) + u64(n) + (proof_r + proof_d + proof_r) * n


def golden_vanilla(case, i):
    request = json.loads((GOLDEN / "cases" / case / "request.json").read_text())
    return base64.b64decode(request["vanillaProofs"][i])


def make_post_and_snap():
    write("post_bincode", "wpost-2k-0.bin", golden_vanilla("wpost-2k-full", 0))
    write("post_bincode", "wpost-2k-1.bin", golden_vanilla("wpost-2k-full", 1))
    write("post_bincode", "winning-2k.bin", golden_vanilla("winning-2k", 0))
    write("post_bincode", "sub-4k.bin", zero_sector(zero_inclusion([8, 8], 2), 10))
    write("post_bincode", "top-32k.bin", zero_sector(zero_inclusion([8, 8], 8, 2), 10))
    write("snap_bincode", "snap-2k.bin", golden_vanilla("snap-2k", 0))
    write("snap_bincode", "sub-4k.bin", zero_partition(zero_inclusion([8, 8], 2), zero_inclusion([2] * 7), 8, 10))
    write("snap_bincode", "top-32k.bin", zero_partition(zero_inclusion([8, 8], 8, 2), zero_inclusion([2] * 10), 128, 10))


# --- keys, parameter files, proofs ---


def make_keys():
    known = json.loads((GOLDEN / "known-answers.json").read_text())
    g1 = [bytes.fromhex(x["double_p"]["uncompressed"]) for x in known["g1"]]
    g2 = [bytes.fromhex(x["double_p"]["uncompressed"]) for x in known["g2"]]
    g1 = [p for p in g1 if p[0] & 0x40 == 0]
    g2 = [p for p in g2 if p[0] & 0x40 == 0]

    def g1_list(n):
        return struct.pack(">I", n) + b"".join(g1[i % len(g1)] for i in range(n))

    def g2_list(n):
        return struct.pack(">I", n) + b"".join(g2[i % len(g2)] for i in range(n))

    head = g1[0] + g1[1] + g2[0] + g2[1] + g1[2] + g2[2]
    for n_ic in (1, 2, 5):
        write("vk", f"ic-{n_ic}.vk", head + g1_list(n_ic))
    for n_h, n_l, n_a, n_b in ((3, 2, 2, 1), (1, 1, 1, 1)):
        lists = g1_list(n_h) + g1_list(n_l) + g1_list(n_a) + g1_list(n_b) + g2_list(n_b)
        write("params", f"lists-{n_h}-{n_l}-{n_a}-{n_b}.params", head + g1_list(2) + lists)
    for name, bitmap, n_points in (("none", 0, 0), ("two", 5, 2)):  # identity and checksum: fuzz_folded.c puts them right
        head = b"cuzkfold" + b"".join(u32(v) for v in (1, 3, 3, 6)) + b"toy".ljust(32, b"\0") + ZERO
        write("folded", f"inputs-{name}.folded", head + u64(bitmap) + ZERO + g1_list(8) + g1_list(n_points + 6))
    for kind, points in (("g1", known["g1_bad"]), ("g2", known["g2_bad"])):
        for i, bad in enumerate(p for p in points if "compressed" in p):
            write("proof", f"bad-{kind}-{i:02}", bad_proof(kind, bytes.fromhex(bad["compressed"])))


def golden_proof():
    return (GOLDEN / "cases" / "porep-2k-v1" / "proof.bin").read_bytes()[:192]


def bad_proof(kind, point):
    proof = golden_proof()
    return point[:48] + proof[48:] if kind == "g1" else proof[:48] + point[:96] + proof[144:]


def make_requests():
    write("proof", "golden", golden_proof())
    write("request", "empty-object.json", b"{}")
    write("request", "porep-without-proof.json", json.dumps({
        "requestId": "x", "proofKind": "POREP_SEAL_COMMIT", "sectorSize": "2048", "registeredProof": "5",
        "vanillaProof": "e30=", "minerId": "1000", "sectorNumber": "1"}).encode())
    write("request", "envelope.json", b'{"SectorNum": 1, "Phase1Out": "e30=", "SectorSize": 2048}')
    write("request", "c1-head.json", b'{"registered_proof": "StackedDrg2KiBV1_1", "vanilla_proofs": '
          b'{"StackedDrg2KiBV1": [[]]}, "comm_r": [], "comm_d": "", "replica_id": [], "seed": [], "ticket": []}')


# --- requests in the spool ---


def blob(data):
    return u64(len(data)) + data


def spooled(case, kind, registered_proof):
    request = json.loads((GOLDEN / "cases" / case / "request.json").read_text())
    randomness = base64.b64decode(request.get("randomness", ""))
    commitments = b"".join(blob(base64.b64decode(request.get(k, ""))) for k in ("commROld", "commRNew", "commDNew"))
    # the first proof's beginning will do: the spool does not look inside
    proofs = [base64.b64decode(p)[:200] for p in request.get("vanillaProofs", [])]
    numbers = (kind, 2048, 1, registered_proof, 1, 1000, 1, 0)
    return b"CZREQ1\n" + blob(case.encode()) + u64(2) + b"".join(u64(v) for v in numbers) + blob(randomness) + \
        commitments + blob(b"{}" if kind == 1 else b"") + seq(proofs, blob)


def make_spooled():
    for case, kind, number in (("porep-2k-v1_1", 1, 5), ("snap-2k", 2, 0), ("wpost-2k-full", 3, 5), ("winning-2k", 4, 0)):
        write("spooled", case, spooled(case, kind, number))


make_c1()
make_post_and_snap()
make_keys()
make_requests()
make_spooled()
