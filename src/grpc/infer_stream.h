// SPDX-License-Identifier: Apache-2.0
//
// One ModelStreamInfer call: requests are read and worked on side by side, up to a limit past which no more
// are read (gRPC's flow control then holds the client back), and answered in the order in which they came. A
// failed request is an answer like any other and the stream goes on, unless the client asked for the first
// error to end it. The client's leaving cancels what is in work.
//
// Thread-safe. All operations on the gRPC stream are issued by one thread at a time (Pump), and Finish is the
// last: answers may come from any thread, also after the stream has ended, when gRPC's part of it is gone.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "base/mutex.h"
#include "grpc/admission.h"
#include "grpc/call_context.h"
#include "grpc/call_registry.h"
#include "grpc/infer_codec.h"
#include "serving/inference_service.h"

namespace waystone {

// Metadata with the value "true": the first error ends the stream with its status.
inline constexpr char kStrictErrorsKey[] = "triton_grpc_error";
// Parameter of an answer that says why a request was refused (types/refusal.h).
inline constexpr char kRefusalParameter[] = "waystone_refusal";

// What the streams of a server share; outlives them but for `service`, which is used only while a stream is
// open.
struct InferStreamShared {
  InferenceService& service;
  std::shared_ptr<Admission> admission;
  std::shared_ptr<CallRegistry<class InferStream>> streams;
  InferCodecLimits limits = {};
  uint64_t max_parsed_bytes = 0;
  size_t max_in_flight = 1;  // requests of one stream that are read and not yet answered
};

class InferStream final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                          public std::enable_shared_from_this<InferStream> {
 public:
  using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

  // The reactor of a new stream, or of a refusal when there are too many.
  static Reactor* Begin(grpc::CallbackServerContext& context, const InferStreamShared& shared);

  InferStream(grpc::CallbackServerContext& context, const InferStreamShared& shared);

  // Reads no more and ends once everything that was read is answered.
  void BeginDrain() ABSL_LOCKS_EXCLUDED(mutex_);

  void OnReadDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnWriteDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnCancel() override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnDone() override;

 private:
  // Held by who works on a request and until its answer is sent.
  using SharedPass = std::shared_ptr<Admission::Pass>;
  // A request that was read; those before it are answered first.
  struct Place {
    SharedPass pass;
    absl::Status status;  // of the request, once there is an answer
    std::optional<grpc::ByteBuffer> answer;
  };
  // What an answer repeats of its request, and the request's place in the admission.
  struct Origin {
    uint64_t number = 0;
    std::string model;
    std::string version;
    std::string id;
    SharedPass pass;
  };
  enum class Step { kNothing, kRead, kWrite, kFinish };

  void Accept(uint64_t number);
  absl::Status Decode(Origin& origin, InferRequest& request);
  static absl::Status EncodeAnswer(const absl::StatusOr<InferResponse>& result, grpc::ByteBuffer& answer);
  static absl::Status EncodeError(const Origin& origin, const absl::Status& error, grpc::ByteBuffer& answer);
  void Answer(const Origin& origin, const absl::StatusOr<InferResponse>& result) ABSL_LOCKS_EXCLUDED(mutex_);
  void Pump() ABSL_LOCKS_EXCLUDED(mutex_);
  Step Next() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FinishWith(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  grpc::CallbackServerContext& context_;
  const InferStreamShared shared_;
  const bool strict_errors_;
  const CancelFlag cancelled_ = std::make_shared<std::atomic<bool>>(false);
  grpc::ByteBuffer incoming_;          // gRPC's while reading_, then of the thread that was told
  grpc::ByteBuffer outgoing_;          // gRPC's while writing_
  std::shared_ptr<InferStream> self_;  // gRPC's share

  Mutex mutex_;
  std::deque<Place> places_ ABSL_GUARDED_BY(mutex_);
  uint64_t first_ ABSL_GUARDED_BY(mutex_) = 0;  // number of the request at the front
  SharedPass writing_pass_ ABSL_GUARDED_BY(mutex_);
  absl::Status final_status_ ABSL_GUARDED_BY(mutex_);
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool read_all_ ABSL_GUARDED_BY(mutex_) = false;  // the client sends no more
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;  // nobody receives answers any more
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  bool pumping_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace waystone
