#!/usr/bin/env python3
"""The daemon as a foreign gRPC client sees it: every method, real proofs, large messages, refusals, going away, the end.

Each test function is a ctest case.
"""
import os
import signal
import threading
import unittest

import harness as h
from harness import Daemon, code_of, pb, prove, request, until


class Grpc(unittest.TestCase):
    def test_every_method(self):
        with Daemon(config="") as d:
            s = d.stub()
            first = s.SubmitProof(request("winning-2k"))
            done = s.AwaitProof(pb.AwaitProofRequest(job_id=first.job_id))
            self.assertEqual((done.status, len(done.proof), done.job_id), (1, 192, first.job_id))
            self.assertTrue(h.verify(request("winning-2k"), done.proof))
            d.wait_log(r"accepted, priority (low|normal|high|critical)$")
            d.wait_log(r"parameters of winning-2k are loaded: [1-9][0-9.]* [KM]iB in ")
            self.assertNotIn("CUZK_TIMING", d.log())
            # the same request again: its proof, at once, by either method
            self.assertEqual(s.SubmitProof(request("winning-2k", priority=1)).job_id, first.job_id)
            again = s.Prove(prove(request("winning-2k"))).result
            self.assertEqual((again.job_id, again.proof), (first.job_id, done.proof))
            self.assertGreater(done.total_ms, 0)
            self.assertFalse(s.CancelProof(pb.CancelProofRequest(job_id=first.job_id)).was_running)
            self.assertTrue(s.PreloadSRS(pb.PreloadSrsRequest(circuit_id="winning-2k")).already_loaded)
            status = s.GetStatus(pb.GetStatusRequest())
            self.assertEqual((status.total_proofs_completed, status.total_proofs_failed), (1, 0))
            self.assertEqual([(k.circuit_id, k.tier) for k in status.loaded_srs], [("winning-2k", 0)])
            self.assertEqual(len(status.queues), 0)
            evicted = s.EvictSRS(pb.EvictSrsRequest(circuit_id="winning-2k"))
            self.assertTrue(evicted.was_loaded)
            self.assertGreater(evicted.freed_bytes, 0)
            self.assertFalse(s.EvictSRS(pb.EvictSrsRequest(circuit_id="winning-2k")).was_loaded)
            self.assertIn("cuzk_proofs_completed_total", s.GetMetrics(pb.GetMetricsRequest()).prometheus_text)
            self.assertEqual(d.stop(), 0)

    def test_large_requests(self):
        with Daemon(config='daemon.max_message = "64MiB"') as d:
            s = d.stub()
            large = request("winning-2k")
            large.vanilla_proofs[0] = bytes(60_000_000)
            reply = s.Prove(prove(large)).result
            self.assertEqual(reply.status, pb.AwaitProofResponse.FAILED)
            self.assertIn("vanilla_proofs", reply.error_message)
            large.vanilla_proofs[0] = bytes(65 << 20)
            code, text = code_of(s.Prove, prove(large))
            self.assertEqual(code, "RESOURCE_EXHAUSTED")
            self.assertIn("larger than max", text)
            self.assertEqual(s.GetStatus(pb.GetStatusRequest()).total_proofs_failed, 1)
            self.assertEqual(d.stop(), 0)

    def test_refusals(self):
        with Daemon(config='memory.total_budget = "64MiB"') as d:
            s = d.stub()
            nobody = "0" * 32
            self.assertEqual(code_of(s.Prove, pb.ProveRequest()), ("INVALID_ARGUMENT", "missing submit field"))
            self.assertEqual(code_of(s.SubmitProof, pb.SubmitProofRequest())[1], "invalid proof_kind: 0")
            self.assertEqual(code_of(s.SubmitProof, request("winning-2k", registered_proof=99))[0], "INVALID_ARGUMENT")
            self.assertEqual(code_of(s.SubmitProof, request("winning-2k", randomness=b"x")),
                             ("INVALID_ARGUMENT", "randomness: 1 bytes, expected 32"))
            for call, message in ((s.AwaitProof, pb.AwaitProofRequest), (s.CancelProof, pb.CancelProofRequest)):
                self.assertEqual(code_of(call, message(job_id=nobody)), ("NOT_FOUND", f"job not found: {nobody}"))
                self.assertEqual(code_of(call, message(job_id="é"))[0], "NOT_FOUND")
            self.assertEqual(code_of(s.SubmitProof, request("winning-2k", randomness=b"")),
                             ("INVALID_ARGUMENT", "randomness is not given"))
            code, text = code_of(s.SubmitProof, request("wpost-2k-full", sector_size=0, registered_proof=14))
            self.assertEqual(code, "FAILED_PRECONDITION")
            self.assertIn("wpost-64g", text)
            self.assertEqual(code_of(s.PreloadSRS, pb.PreloadSrsRequest(circuit_id="wpost-64g"))[0], "FAILED_PRECONDITION")
            self.assertEqual(code_of(s.PreloadSRS, pb.PreloadSrsRequest(circuit_id="porep-31g")),
                             ("NOT_FOUND", "unknown circuit ID: porep-31g"))
            self.assertEqual(code_of(s.EvictSRS, pb.EvictSrsRequest(circuit_id=""))[0], "NOT_FOUND")
            unknown = d.new_channel().unary_unary("/cuzk.v1.ProvingEngine/Nothing")
            self.assertEqual(code_of(unknown, b"")[0], "UNIMPLEMENTED")
            garbage = d.new_channel().unary_unary("/cuzk.v1.ProvingEngine/SubmitProof")
            self.assertEqual(code_of(garbage, b"\xff\xff\xff")[0], "INVALID_ARGUMENT")
            self.assertEqual(d.stop(), 0)

    def test_waiting_and_cancelling(self):
        with Daemon(config="", faults="prove=2000") as d:
            s = d.stub()
            job = s.SubmitProof(request("winning-2k")).job_id
            code, _ = code_of(s.AwaitProof, pb.AwaitProofRequest(job_id=job, timeout_ms=50))
            self.assertEqual(code, "DEADLINE_EXCEEDED")
            self.assertEqual(code_of(s.AwaitProof, pb.AwaitProofRequest(job_id=job), timeout=0.05)[0], "DEADLINE_EXCEEDED")
            queues = s.GetStatus(pb.GetStatusRequest()).queues
            self.assertEqual([(q.proof_kind, q.pending + q.in_progress) for q in queues], [("winning-post", 1)])
            waiting = s.AwaitProof.future(pb.AwaitProofRequest(job_id=job))
            self.assertTrue(s.CancelProof(pb.CancelProofRequest(job_id=job)).was_running)
            self.assertEqual(waiting.result().status, pb.AwaitProofResponse.CANCELLED)
            self.assertEqual(d.stop(), 0)

    def test_a_client_that_goes_away(self):
        with Daemon(config="", faults="synthesis=1000") as d:
            s = d.stub()
            alone = s.Prove.future(prove(request("winning-2k", request_id="alone")))
            d.wait_log(r"\(alone, winning\): accepted")
            alone.cancel()
            d.wait_log(r"\(alone, winning\): its callers are gone")
            # with another waiter the job goes on
            leaves = s.Prove.future(prove(request("winning-2k", request_id="shared")))
            d.wait_log(r"\(shared, winning\): accepted")
            stays = s.Prove.future(prove(request("winning-2k", request_id="shared")))
            until(lambda: "joined" in d.log() or s.GetMetrics(pb.GetMetricsRequest()).prometheus_text.count("joined"))
            leaves.cancel()
            self.assertEqual(stays.result().result.status, pb.AwaitProofResponse.COMPLETED)
            # a deadline that passes is such a departure
            self.assertEqual(code_of(s.Prove, prove(request("winning-2k", request_id="late")), timeout=0.3)[0],
                             "DEADLINE_EXCEEDED")
            until(lambda: len(s.GetStatus(pb.GetStatusRequest()).queues) == 0)
            self.assertEqual(d.stop(), 0)

    def test_health_and_drain(self):
        with Daemon(config="", faults="prove=1500") as d:
            s, health = d.stub(), d.health()
            ask = h.health_pb2.HealthCheckRequest
            self.assertEqual(health.Check(ask()).status, 1)
            self.assertEqual(health.Check(ask(service="cuzk.v1.ProvingEngine")).status, 1)
            self.assertEqual(code_of(health.Check, ask(service="other"))[0], "NOT_FOUND")
            self.assertEqual(next(health.Watch(ask(service="other"))).status, 3)
            watch = health.Watch(ask())
            self.assertEqual(next(watch).status, 1)
            running = s.Prove.future(prove(request("winning-2k")))
            d.wait_log("accepted")
            d.signal(signal.SIGTERM)
            self.assertEqual(next(watch).status, 2)
            code, text = code_of(s.SubmitProof, request("winning-2k", request_id="new"))
            self.assertEqual(code, "UNAVAILABLE")
            self.assertIn("draining", text)
            self.assertEqual(running.result().result.status, pb.AwaitProofResponse.COMPLETED)
            self.assertEqual(code_of(next, watch)[0], "UNAVAILABLE")
            self.assertEqual(d.wait(), 0)
            self.assertFalse((d.folder / "cuzk.sock").exists())

    def test_stop_at_once_and_go_on(self):
        with Daemon(config="", faults="prove=60000") as d:
            job = d.stub().SubmitProof(request("winning-2k")).job_id
            waiting = d.stub().AwaitProof.future(pb.AwaitProofRequest(job_id=job))
            d.wait_log("loaded")
            d.signal(signal.SIGINT)
            d.wait_log("draining")
            d.signal(signal.SIGINT)
            self.assertEqual(d.wait(), 130)
            self.assertEqual(code_of(waiting.result)[0], "UNAVAILABLE")
            with Daemon(config="", folder=d.folder) as again:
                done = again.stub().AwaitProof(pb.AwaitProofRequest(job_id=job))
                self.assertEqual(done.status, pb.AwaitProofResponse.COMPLETED)
                self.assertTrue(h.verify(request("winning-2k"), done.proof))
                self.assertEqual(again.stop(), 0)

    def test_reflection(self):
        import reflection_pb2 as r
        import reflection_pb2_grpc
        from google.protobuf import descriptor_pb2

        with Daemon(config="") as d:
            ask = reflection_pb2_grpc.ServerReflectionStub(d.new_channel()).ServerReflectionInfo
            names, proving, method, missing = ask(iter([
                r.ServerReflectionRequest(list_services=""),
                r.ServerReflectionRequest(file_containing_symbol="cuzk.v1.ProvingEngine"),
                r.ServerReflectionRequest(file_containing_symbol="cuzk.v1.ProvingEngine.Prove"),
                r.ServerReflectionRequest(file_containing_symbol="cuzk.v1.Nothing")]))
            self.assertIn("cuzk.v1.ProvingEngine", [s.name for s in names.list_services_response.service])
            file = descriptor_pb2.FileDescriptorProto.FromString(
                proving.file_descriptor_response.file_descriptor_proto[0])
            self.assertEqual([m.name for m in file.service[0].method],
                             [m.name for m in pb.DESCRIPTOR.services_by_name["ProvingEngine"].methods])
            self.assertEqual(file.SerializeToString(),
                             method.file_descriptor_response.file_descriptor_proto[0])
            self.assertEqual(missing.error_response.error_code, 5)
            v1 = d.new_channel().stream_stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
                                           r.ServerReflectionRequest.SerializeToString,
                                           r.ServerReflectionResponse.FromString)
            self.assertEqual(len(list(v1(iter([r.ServerReflectionRequest(list_services="")])))), 1)
            self.assertEqual(d.stop(), 0)

    def test_many_clients(self):
        with Daemon(config="") as d:
            proofs, problems = [], []

            def client(number):
                try:
                    proofs.append(d.stub().Prove(prove(request("winning-2k", request_id=f"r{number % 2}"))).result)
                except h.grpc.RpcError as error:
                    problems.append(error)

            threads = [threading.Thread(target=client, args=(i,)) for i in range(8)]
            [t.start() for t in threads]
            [t.join() for t in threads]
            self.assertEqual(problems, [])
            self.assertEqual(len({(p.job_id, p.proof) for p in proofs}), 2)
            self.assertEqual(d.stub().GetStatus(pb.GetStatusRequest()).total_proofs_completed, 2)
            self.assertEqual(d.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
