// SPDX-License-Identifier: Apache-2.0
//
// grpc.health.v1.Health: the state of the server (the empty name, or the inference service's), and of each
// model under its name. Watch sends the state and each change of it: the states are looked at in an interval
// by a thread of this object's own, and at once when the server stops, which also ends the watches.
// Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"

#include "base/clock.h"
#include "base/mutex.h"
#include "grpc/admission.h"
#include "grpc/call_registry.h"
#include "proto/health.grpc.pb.h"
#include "serving/inference_service.h"

namespace waystone {

class HealthWatch;

class HealthCalls final
    : public grpc::health::v1::Health::WithRawCallbackMethod_Check<
          grpc::health::v1::Health::WithRawCallbackMethod_Watch<grpc::health::v1::Health::Service>> {
 public:
  using State = grpc::health::v1::HealthCheckResponse::ServingStatus;

  // `service` and `admission` say what is served; both outlive this object's open calls.
  HealthCalls(const InferenceService& service, std::shared_ptr<Admission> admission, size_t max_watches,
              Duration interval);
  ~HealthCalls() override;

  // SERVICE_UNKNOWN for a name that is neither the server's nor a model's.
  State StateOf(const std::string& name) const;
  // Looks at all watches now. When the admission is closed they end once they have told it.
  void Refresh();
  size_t watches() const;

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                  grpc::ByteBuffer* answer) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Watch(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request) override;

 private:
  void Run();
  // False when it is time to stop.
  bool AwaitNextLook() ABSL_LOCKS_EXCLUDED(mutex_);

  const InferenceService& service_;
  const std::shared_ptr<Admission> admission_;
  const Duration interval_;
  const std::shared_ptr<CallRegistry<HealthWatch>> watches_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: what it uses is made before it
};

}  // namespace waystone
