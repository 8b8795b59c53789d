// SPDX-License-Identifier: Apache-2.0
#include "grpc/health_calls.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "base/log.h"
#include "base/status.h"
#include "grpc/call_status.h"
#include "grpc/health_watch.h"
#include "grpc/raw_call.h"
#include "proto/grpc_service.grpc.pb.h"
#include "types/refusal.h"

namespace waystone {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

using Reactor = grpc::ServerWriteReactor<grpc::ByteBuffer>;

constexpr uint64_t kMaxRequestBytes = 64 * 1024;

absl::Status UnknownName(const std::string& name) {
  return absl::NotFoundError(absl::StrCat("neither the server nor a model is called '", WireName(name), "'"));
}

}  // namespace

HealthCalls::HealthCalls(const InferenceService& service, std::shared_ptr<Admission> admission,
                         size_t max_watches, Duration interval)
    : service_(service),
      admission_(std::move(admission)),
      interval_(interval),
      watches_(std::make_shared<CallRegistry<HealthWatch>>(max_watches)),
      thread_([this] { Run(); }) {}

HealthCalls::~HealthCalls() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

HealthCalls::State HealthCalls::StateOf(const std::string& name) const {
  bool serving = admission_->open();
  if (name.empty() || name == inference::GRPCInferenceService::service_full_name()) {
    serving = serving && service_.ready();
  } else {
    const absl::StatusOr<bool> ready = service_.ModelReady(name, "");
    if (absl::IsNotFound(ready.status())) return HealthCheckResponse::SERVICE_UNKNOWN;
    serving = serving && ready.ok() && *ready;
  }
  return serving ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
}

void HealthCalls::Refresh() {
  for (const std::shared_ptr<HealthWatch>& watch : watches_->All()) {
    // Whether it is the last one first: a state seen after the close is NOT_SERVING.
    const bool last = admission_->closed();
    watch->Tell(StateOf(watch->name()), last);
  }
}

size_t HealthCalls::watches() const { return watches_->size(); }

grpc::ServerUnaryReactor* HealthCalls::Check(grpc::CallbackServerContext* context,
                                             const grpc::ByteBuffer* request, grpc::ByteBuffer* answer) {
  return AnswerAtOnce<HealthCheckRequest, HealthCheckResponse>(
      *context, request, *answer, kMaxRequestBytes,
      [this](const HealthCheckRequest& asked, HealthCheckResponse& told) {
        const State state = StateOf(asked.service());
        if (state == HealthCheckResponse::SERVICE_UNKNOWN) return UnknownName(asked.service());
        told.set_status(state);
        return absl::OkStatus();
      });
}

Reactor* HealthCalls::Watch(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request) {
  std::shared_ptr<HealthWatch> watch;
  const absl::Status status = WithoutExceptions([&] {
    HealthCheckRequest asked;
    WAYSTONE_RETURN_IF_ERROR(ParseMessage(Received(request), asked, kMaxRequestBytes));
    watch = std::make_shared<HealthWatch>(*context, asked.service(), watches_);
    if (!watches_->Add(watch)) {
      return Refuse(RefusalReason::kQueueFull,
                    absl::StrCat("the server has ", watches_->limit(), " watches open, which is its limit"));
    }
    // Whether it is the last one first: a state seen after the close is NOT_SERVING.
    const bool last = admission_->closed();
    watch->Tell(StateOf(watch->name()), last);
    return absl::OkStatus();
  });
  if (!status.ok()) {
    if (watch) watches_->Remove(watch.get());
    AddRefusal(status, *context);
    return new EndedCall<Reactor>(ToGrpcStatus(status));
  }
  watch->Own(watch);
  return watch.get();
}

bool HealthCalls::AwaitNextLook() {
  MutexLock lock(mutex_);
  if (!stopping_) changed_.WaitUntil(mutex_, SteadyClock().Now() + interval_);
  return !stopping_;
}

void HealthCalls::Run() {
  while (AwaitNextLook()) {
    if (watches_->size() == 0) continue;
    const absl::Status looked = WithoutExceptions([this] {
      Refresh();
      return absl::OkStatus();
    });
    if (!looked.ok())
      LogWarning(absl::StrCat("the watches of the health service were not told: ", looked.message()));
  }
}

}  // namespace waystone
