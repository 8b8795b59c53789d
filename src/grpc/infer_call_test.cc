// SPDX-License-Identifier: Apache-2.0
//
// ModelInfer against a running server.
#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>

#include "base/mutex.h"
#include "grpc/testing/grpc_server_fixture.h"
#include "types/refusal.h"

namespace waystone {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class InferCallTest : public GrpcServerFixture {
 protected:
  // A call on a thread of its own, which the test may cancel.
  struct Call {
    grpc::ClientContext context;
    inference::ModelInferResponse response;
    grpc::Status status;
    std::thread thread;
  };
  std::unique_ptr<Call> Begin(std::string bytes, std::chrono::nanoseconds patience = kTestPatience) {
    auto call = std::make_unique<Call>();
    call->context.set_deadline(std::chrono::system_clock::now() + patience);
    call->thread = std::thread([this, one = call.get(), request = RawRequest("m", std::move(bytes))] {
      one->status = stub_->ModelInfer(&one->context, request, &one->response);
    });
    return call;
  }
};

TEST_F(InferCallTest, AnswersWithWhatTheServiceGives) {
  Serve();
  inference::ModelInferResponse response;
  inference::ModelInferRequest request = RawRequest("m", "abc", "id-7");
  request.set_model_version("3");
  ASSERT_TRUE(Infer(request, response).ok());
  EXPECT_EQ(response.model_name(), "m");
  EXPECT_EQ(response.model_version(), "3");
  EXPECT_EQ(response.id(), "id-7");
  ASSERT_EQ(response.outputs_size(), 1);
  EXPECT_EQ(response.outputs(0).datatype(), "UINT8");
  EXPECT_THAT(response.outputs(0).shape(), testing::ElementsAre(3));
  EXPECT_FALSE(response.outputs(0).has_contents());
  EXPECT_THAT(response.raw_output_contents(), testing::ElementsAre("abc"));
}

TEST_F(InferCallTest, ErrorsOfTheServiceKeepTheirCode) {
  Serve();
  const absl::Status errors[] = {
      absl::NotFoundError("no model 'm'"), absl::InvalidArgumentError("bad shape"),
      absl::UnimplementedError("off"),     absl::OutOfRangeError("batch 9, limit 8"),
      absl::AlreadyExistsError("taken"),   absl::InternalError("engine")};
  for (const absl::Status& error : errors) {
    service_.infer = [&error](const InferRequest&, const InferCallback& callback) { callback(error); };
    inference::ModelInferResponse response;
    const grpc::Status status = Infer(RawRequest("m", "a"), response);
    EXPECT_EQ(static_cast<int>(status.error_code()), static_cast<int>(error.code()));
    EXPECT_EQ(status.error_message(), error.message());
  }
}

TEST_F(InferCallTest, RefusalsSayTheirReasonInTrailingMetadata) {
  Serve();
  for (const RefusalReason reason : kAllRefusalReasons) {
    service_.infer = [reason](const InferRequest&, const InferCallback& callback) {
      callback(Refuse(reason, "refused"));
    };
    grpc::ClientContext context;
    SetPatience(context);
    inference::ModelInferResponse response;
    EXPECT_FALSE(stub_->ModelInfer(&context, RawRequest("m", "a"), &response).ok());
    EXPECT_EQ(TrailingMetadata(context, kRefusalKey), Name(reason));
  }
}

TEST_F(InferCallTest, ExceptionsOfTheServiceBecomeErrors) {
  Serve();
  service_.infer = [](const InferRequest&, const InferCallback&) { throw std::runtime_error("thrown"); };
  inference::ModelInferResponse response;
  grpc::Status status = Infer(RawRequest("m", "a"), response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_THAT(status.error_message(), HasSubstr("thrown"));
  service_.infer = [](const InferRequest&, const InferCallback&) { throw std::bad_alloc(); };
  status = Infer(RawRequest("m", "a"), response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  ExpectNothingInFlight();
}

TEST_F(InferCallTest, TheServiceSeesDeadlineStreamAndArrival) {
  Serve();
  service_.HoldInferences();
  const TimePoint before = SteadyClock().Now();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + seconds(50));
  context.AddMetadata("waystone-stream", "camera-1");
  std::thread client([&] {
    inference::ModelInferResponse response;
    EXPECT_TRUE(stub_->ModelInfer(&context, RawRequest("m", "a"), &response).ok());
  });
  const FakeInferenceService::Held held = service_.Take();
  EXPECT_EQ(held.request.stream, "camera-1");
  EXPECT_GE(held.request.arrived, before);
  EXPECT_FALSE(held.request.deadline.is_never());
  EXPECT_LT(held.request.deadline.Left(before), seconds(51));
  EXPECT_GT(held.request.deadline.Left(held.request.arrived), seconds(40));
  EXPECT_FALSE(held.request.cancelled());
  held.callback(EchoOf(held.request));
  client.join();
}

TEST_F(InferCallTest, ACallWithoutDeadlineHasNone) {
  Serve();
  Notification asked;
  service_.infer = [&](const InferRequest& request, const InferCallback& callback) {
    EXPECT_TRUE(request.deadline.is_never());
    callback(EchoOf(request));
  };
  grpc::ClientContext context;
  inference::ModelInferResponse response;
  EXPECT_TRUE(stub_->ModelInfer(&context, RawRequest("m", "a"), &response).ok());
}

TEST_F(InferCallTest, S41ACancelledCallTellsTheService) {
  Serve();
  service_.HoldInferences();
  const auto call = Begin("a");
  const FakeInferenceService::Held held = service_.Take();
  EXPECT_FALSE(held.request.cancelled());
  call->context.TryCancel();
  call->thread.join();
  EXPECT_EQ(call->status.error_code(), grpc::StatusCode::CANCELLED);
  while (!held.request.cancelled()) std::this_thread::yield();
  held.callback(EchoOf(held.request));  // nobody waits
}

TEST_F(InferCallTest, S41ADeadlineThatPassesCancelsTheRequest) {
  Serve();
  service_.HoldInferences();
  const auto call = Begin("a", milliseconds(200));
  const FakeInferenceService::Held held = service_.Take();
  call->thread.join();
  EXPECT_EQ(call->status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  while (!held.request.cancelled()) std::this_thread::yield();
  // Rounded on the wire, so it may end a little after the client's.
  EXPECT_LT(held.request.deadline.Left(SteadyClock().Now()), milliseconds(100));
  held.callback(Refuse(RefusalReason::kExpired, "too late"));
}

TEST_F(InferCallTest, ALostConnectionCancelsTheRequest) {
  Serve();
  service_.HoldInferences();
  {
    const auto other = inference::GRPCInferenceService::NewStub(Connect());
    grpc::ClientContext context;
    SetPatience(context);
    inference::ModelInferResponse response;
    std::thread client([&] { (void)other->ModelInfer(&context, RawRequest("m", "a"), &response); });
    const FakeInferenceService::Held held = service_.Take();
    context.TryCancel();
    client.join();
    while (!held.request.cancelled()) std::this_thread::yield();
  }
  ExpectNothingInFlight();
}

TEST_F(InferCallTest, S13WhatIsOverTheLimitOfRequestsIsRefusedAtOnce) {
  Serve({.max_requests_in_flight = 2});
  service_.HoldInferences();
  const auto first = Begin("a");
  const FakeInferenceService::Held first_held = service_.Take();
  const auto second = Begin("b");
  const FakeInferenceService::Held second_held = service_.Take();
  grpc::ClientContext context;
  SetPatience(context);
  inference::ModelInferResponse response;
  const grpc::Status status = stub_->ModelInfer(&context, RawRequest("m", "c"), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("limit is 2"));
  EXPECT_EQ(TrailingMetadata(context, kRefusalKey), "queue_full");
  first_held.callback(EchoOf(first_held.request));
  second_held.callback(EchoOf(second_held.request));
  first->thread.join();
  second->thread.join();
  EXPECT_TRUE(first->status.ok() && second->status.ok());
}

TEST_F(InferCallTest, BytesInFlightHaveALimit) {
  Serve({.max_bytes_in_flight = 3000});
  inference::ModelInferResponse response;
  EXPECT_TRUE(Infer(RawRequest("m", std::string(1000, 'x')), response).ok());
  const grpc::Status status = Infer(RawRequest("m", std::string(3000, 'x')), response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("limit of 3000 bytes"));
}

// The largest raw tensor whose request has no more than `bytes` bytes.
std::string LargestTensor(size_t bytes,
                          const std::function<inference::ModelInferRequest(std::string)>& request) {
  std::string data(bytes, 'x');
  while (request(data).ByteSizeLong() > bytes) data.pop_back();
  return data;
}

TEST_F(InferCallTest, S50MessagesUpToTheLimitPassAndTheNextByteIsRefusedWithTheLimit) {
  Serve({.max_message_bytes = 5'000'000});  // above gRPC's own 4 MiB
  const auto request = [](std::string data) { return RawRequest("m", std::move(data)); };
  const std::string largest = LargestTensor(5'000'000, request);
  inference::ModelInferResponse response;
  const grpc::Status passed = Infer(request(largest), response);
  ASSERT_TRUE(passed.ok()) << passed.error_message();
  EXPECT_EQ(response.raw_output_contents(0).size(), largest.size());
  const grpc::Status refused = Infer(request(largest + "x"), response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("5000000"));
}

TEST_F(InferCallTest, SmallObjectsThatGrowWhenParsedAreRefused) {
  Serve({.max_message_bytes = 1 << 20, .max_parsed_bytes = 2 << 20});
  inference::ModelInferRequest request;
  for (int i = 0; i < 100'000; ++i) request.add_inputs();  // 2 bytes each on the wire
  inference::ModelInferResponse response;
  const grpc::Status status = Infer(request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("2097152"));
}

TEST_F(InferCallTest, BytesThatAreNoMessageAreInvalid) {
  Serve();
  grpc::GenericStub generic(channel_);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  SetPatience(context);
  const std::string garbage = "\xff\xff\xff\xff garbage";
  const grpc::Slice slice(garbage);
  const auto call = generic.PrepareUnaryCall(&context, "/inference.GRPCInferenceService/ModelInfer",
                                             grpc::ByteBuffer(&slice, 1), &queue);
  call->StartCall();
  grpc::ByteBuffer response;
  grpc::Status status;
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("ModelInferRequest"));
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
}

TEST_F(InferCallTest, CompressedMessagesAreRefusedUnlessAskedFor) {
  for (const bool accepted : {false, true}) {
    Serve({.max_message_bytes = 1 << 20, .accept_compressed = accepted});
    grpc::ClientContext context;
    SetPatience(context);
    context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
    inference::ModelInferResponse response;
    const grpc::Status status =
        stub_->ModelInfer(&context, RawRequest("m", std::string(100'000, 'x')), &response);
    EXPECT_EQ(status.error_code(), accepted ? grpc::StatusCode::OK : grpc::StatusCode::UNIMPLEMENTED)
        << status.error_message();
    server_->Stop(seconds(60));
  }
}

TEST_F(InferCallTest, ErrorsThatNameWhatWasSentStayShort) {
  Serve();
  inference::ModelInferRequest request = RawRequest("m", "a");
  request.mutable_inputs(0)->set_datatype(std::string(100'000, 'T'));
  inference::ModelInferResponse response;
  const grpc::Status status = Infer(request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  EXPECT_LE(status.error_message().size(), kMaxErrorBytes);
}

// H17: calls that are cancelled at any time, some just as they are answered, leave nothing behind.
TEST_F(InferCallTest, H17RandomCancellationsLeaveNoCallInFlight) {
  constexpr int kClients = 4;
  constexpr int kCallsEach = 250;
  Serve();
  Mutex mutex;
  CondVar came;
  std::deque<FakeInferenceService::Held> waiting;
  bool closed = false;
  service_.infer = [&](InferRequest request, InferCallback callback) {
    MutexLock lock(mutex);
    waiting.push_back({std::move(request), std::move(callback)});
    came.NotifyOne();
  };
  std::thread worker([&] {
    for (;;) {
      FakeInferenceService::Held held;
      {
        MutexLock lock(mutex);
        while (waiting.empty() && !closed) came.Wait(mutex);
        if (waiting.empty()) return;
        held = std::move(waiting.front());
        waiting.pop_front();
      }
      if (held.request.cancelled()) {
        held.callback(Refuse(RefusalReason::kCancelled, "gone"));
      } else {
        held.callback(EchoOf(held.request));
      }
    }
  });
  std::atomic<int> answered{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < kClients; ++c) {
    clients.emplace_back([&, c] {
      std::mt19937 random(static_cast<unsigned>(c));
      for (int i = 0; i < kCallsEach; ++i) {
        const auto call = Begin("data");
        const unsigned spins = random() % 20'000;
        for (volatile unsigned spin = 0; spin < spins;) spin = spin + 1;
        call->context.TryCancel();
        call->thread.join();
        if (call->status.ok()) ++answered;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  ExpectNothingInFlight();
  {
    MutexLock lock(mutex);
    closed = true;
    came.NotifyAll();
  }
  worker.join();
  EXPECT_TRUE(server_->Stop(seconds(60)));
  RecordProperty("answered", answered.load());
}

}  // namespace
}  // namespace waystone
