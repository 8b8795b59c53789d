// SPDX-License-Identifier: Apache-2.0
//
// One open Watch of the health service: sends the newest state that the client has not been told; states that
// come and go while a message is on its way are skipped. Thread-safe. As in InferStream, one thread at a time
// issues what gRPC is to do, and Finish is the last of it.
#pragma once

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "base/mutex.h"
#include "grpc/call_registry.h"
#include "proto/health.pb.h"

namespace waystone {

class HealthWatch final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  using State = grpc::health::v1::HealthCheckResponse::ServingStatus;

  HealthWatch(grpc::CallbackServerContext& context, std::string name,
              std::shared_ptr<CallRegistry<HealthWatch>> watches)
      : context_(context), name_(std::move(name)), watches_(std::move(watches)) {}

  // Gives gRPC its share, until the call is done.
  void Own(std::shared_ptr<HealthWatch> self) { self_ = std::move(self); }
  const std::string& name() const { return name_; }
  // `last`: the watch ends once the state is told.
  void Tell(State state, bool last) ABSL_LOCKS_EXCLUDED(mutex_);

  void OnWriteDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnCancel() override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnDone() override;

 private:
  enum class Step { kNothing, kWrite, kFinish };

  void Pump() ABSL_LOCKS_EXCLUDED(mutex_);
  Step Next() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  grpc::CallbackServerContext& context_;
  const std::string name_;
  const std::shared_ptr<CallRegistry<HealthWatch>> watches_;
  std::shared_ptr<HealthWatch> self_;
  grpc::ByteBuffer outgoing_;  // gRPC's while writing_

  Mutex mutex_;
  int newest_ ABSL_GUARDED_BY(mutex_) = -1;  // a State; -1: none yet
  int told_ ABSL_GUARDED_BY(mutex_) = -1;
  bool last_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  bool pumping_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace waystone
