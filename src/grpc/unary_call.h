// SPDX-License-Identifier: Apache-2.0
//
// A call with one request whose answer comes later, from any thread. The first end counts: an answer, an
// error or the client's leaving, after which gRPC is told at once and a late answer finds nobody. The object
// lives while gRPC or the one who will answer holds it, and its place in the admission with it. Thread-safe
// after Begin.
#pragma once

#include <atomic>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "grpc/admission.h"
#include "grpc/call_context.h"

namespace waystone {

class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  // gRPC keeps `context` and `answer` until the call has ended.
  static std::shared_ptr<UnaryCall> Begin(grpc::CallbackServerContext& context, grpc::ByteBuffer& answer);

  UnaryCall(grpc::CallbackServerContext& context, grpc::ByteBuffer& answer)
      : context_(context), answer_(answer) {}

  const CancelFlag& cancelled() const { return cancelled_; }
  // Before the work is handed on.
  void Hold(Admission::Pass pass) { pass_ = std::move(pass); }

  // `fill` writes the answer or says why there is none; called only if the call has not ended.
  void End(absl::FunctionRef<absl::Status(grpc::ByteBuffer&)> fill);
  void Fail(const absl::Status& status);

  void OnCancel() override;
  void OnDone() override;

 private:
  grpc::CallbackServerContext& context_;
  grpc::ByteBuffer& answer_;
  Admission::Pass pass_;
  const CancelFlag cancelled_ = std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool> ended_{false};
  std::shared_ptr<UnaryCall> self_;  // gRPC's share
};

}  // namespace waystone
