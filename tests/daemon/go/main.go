// A client as Curio's, built with Debian's gRPC for Go: client ADDRESS REQUEST, the latter a serialised
// SubmitProofRequest of a WinningPoSt. It calls every method and checks what comes back; its exit status tells.
package main

import (
	"context"
	"fmt"
	"io/ioutil"
	"log"
	"os"
	"strings"
	"time"

	pb "cuzk/v1"

	"github.com/golang/protobuf/proto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const maxMessage = 256 << 20

func must(err error, what string) {
	if err != nil {
		log.Fatalf("%s: %v", what, err)
	}
}

func check(holds bool, format string, args ...interface{}) {
	if !holds {
		log.Fatalf(format, args...)
	}
}

func within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	_ = cancel // the process is short
	return ctx
}

func connect(address string) pb.ProvingEngineClient {
	conn, err := grpc.Dial(address, grpc.WithInsecure(), grpc.WithDefaultCallOptions(
		grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)))
	must(err, "dial")
	return pb.NewProvingEngineClient(conn)
}

func readRequest(path string) *pb.SubmitProofRequest {
	bytes, err := ioutil.ReadFile(path)
	must(err, "request")
	request := &pb.SubmitProofRequest{}
	must(proto.Unmarshal(bytes, request), "request")
	return request
}

// What Curio does: Prove with a deadline, then look at the result only.
func prove(client pb.ProvingEngineClient, request *pb.SubmitProofRequest) []byte {
	reply, err := client.Prove(within(2*time.Minute), &pb.ProveRequest{Submit: request})
	must(err, "Prove")
	check(reply.Result != nil && reply.Result.Status == pb.AwaitProofResponse_COMPLETED, "Prove: %v", reply)
	check(len(reply.Result.Proof) == 192, "Prove: %d bytes", len(reply.Result.Proof))
	return reply.Result.Proof
}

func submitAndAwait(client pb.ProvingEngineClient, request *pb.SubmitProofRequest, proof []byte) {
	job, err := client.SubmitProof(within(time.Minute), request)
	must(err, "SubmitProof")
	done, err := client.AwaitProof(within(2*time.Minute), &pb.AwaitProofRequest{JobId: job.JobId})
	must(err, "AwaitProof")
	check(string(done.Proof) == string(proof), "the same request has another proof")
	cancelled, err := client.CancelProof(within(time.Minute), &pb.CancelProofRequest{JobId: job.JobId})
	must(err, "CancelProof")
	check(!cancelled.WasRunning, "an ended job was running")
}

func refusals(client pb.ProvingEngineClient) {
	_, err := client.AwaitProof(within(time.Minute), &pb.AwaitProofRequest{JobId: "nobody"})
	check(status.Code(err) == codes.NotFound, "AwaitProof: %v", err)
	_, err = client.Prove(within(time.Minute), &pb.ProveRequest{})
	check(status.Code(err) == codes.InvalidArgument, "Prove: %v", err)
	_, err = client.PreloadSRS(within(time.Minute), &pb.PreloadSrsRequest{CircuitId: "wpost-64g"})
	check(status.Code(err) == codes.FailedPrecondition, "PreloadSRS: %v", err)
}

func parameters(client pb.ProvingEngineClient) {
	loaded, err := client.PreloadSRS(within(time.Minute), &pb.PreloadSrsRequest{CircuitId: "winning-2k"})
	must(err, "PreloadSRS")
	check(loaded.AlreadyLoaded, "parameters are not loaded after a proof")
	evicted, err := client.EvictSRS(within(time.Minute), &pb.EvictSrsRequest{CircuitId: "winning-2k"})
	must(err, "EvictSRS")
	check(evicted.WasLoaded && evicted.FreedBytes > 0, "EvictSRS: %v", evicted)
}

func large(client pb.ProvingEngineClient, request *pb.SubmitProofRequest) {
	changed := proto.Clone(request).(*pb.SubmitProofRequest)
	changed.VanillaProofs[0] = make([]byte, 60000000)
	reply, err := client.Prove(within(2*time.Minute), &pb.ProveRequest{Submit: changed})
	must(err, "Prove, 60 MB")
	check(reply.Result.Status == pb.AwaitProofResponse_FAILED && reply.Result.ErrorMessage != "", "60 MB: %v", reply.Result)
}

func totals(client pb.ProvingEngineClient) {
	reply, err := client.GetStatus(within(5*time.Second), &pb.GetStatusRequest{})
	must(err, "GetStatus")
	check(reply.TotalProofsCompleted == 1 && reply.TotalProofsFailed == 1 && len(reply.Queues) == 0, "GetStatus: %v", reply)
	metrics, err := client.GetMetrics(within(5*time.Second), &pb.GetMetricsRequest{})
	must(err, "GetMetrics")
	check(strings.Contains(metrics.PrometheusText, "cuzk_proofs_completed_total"), "GetMetrics: %s", metrics.PrometheusText)
}

func main() {
	client := connect(os.Args[1])
	request := readRequest(os.Args[2])
	proof := prove(client, request)
	submitAndAwait(client, request, proof)
	refusals(client)
	parameters(client)
	large(client, request)
	totals(client)
	fmt.Println("good")
}
