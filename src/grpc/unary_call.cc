// SPDX-License-Identifier: Apache-2.0
#include "grpc/unary_call.h"

#include <utility>

#include "grpc/call_status.h"
#include "types/refusal.h"

namespace waystone {

std::shared_ptr<UnaryCall> UnaryCall::Begin(grpc::CallbackServerContext& context, grpc::ByteBuffer& answer) {
  auto call = std::make_shared<UnaryCall>(context, answer);
  call->self_ = call;
  return call;
}

void UnaryCall::End(absl::FunctionRef<absl::Status(grpc::ByteBuffer&)> fill) {
  if (ended_.exchange(true)) return;
  // From here to Finish the context is alive: gRPC ends no call that was not finished.
  const absl::Status status = WithoutExceptions([&] { return fill(answer_); });
  if (!status.ok()) AddRefusal(status, context_);
  Finish(ToGrpcStatus(status));
}

void UnaryCall::Fail(const absl::Status& status) {
  End([&status](grpc::ByteBuffer&) { return status; });
}

void UnaryCall::OnCancel() {
  cancelled_->store(true, std::memory_order_release);
  Fail(Refuse(RefusalReason::kCancelled, "the client has cancelled the call, or its deadline has passed"));
}

void UnaryCall::OnDone() {
  const std::shared_ptr<UnaryCall> last = std::move(self_);  // may destroy this object at the end
}

}  // namespace waystone
