// SPDX-License-Identifier: Apache-2.0
#include "grpc/grpc_server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include <arpa/inet.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "base/deadline.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/status.h"
#include "grpc/admission.h"
#include "grpc/health_calls.h"
#include "grpc/inference_calls.h"
#include "grpc/library_logs.h"

namespace waystone {
namespace {

constexpr int64_t kMaxInt = std::numeric_limits<int>::max();
// What calls that are only told of the stop may take to end: streams, watches, questions about metadata.
constexpr Duration kShortLeast = std::chrono::milliseconds(100);
constexpr Duration kShortMost = std::chrono::seconds(1);

int64_t Milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

absl::Status CheckRange(const char* name, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("gRPC server: ", name, " is ", value, ", must be from ", least, " to ", most));
}

absl::Status CheckTime(const char* name, Duration value) {
  if (Milliseconds(value) >= 1 && Milliseconds(value) <= kMaxInt) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("gRPC server: ", name, " is ", Milliseconds(value), " ms, must be from 1 to ", kMaxInt));
}

absl::Status CheckOptions(const GrpcServerOptions& options) {
  const auto max = static_cast<uint64_t>(kMaxInt);
  WAYSTONE_RETURN_IF_ERROR(CheckRange("max_message_bytes", options.max_message_bytes, 1, max));
  WAYSTONE_RETURN_IF_ERROR(CheckRange("max_parsed_bytes", options.max_parsed_bytes, 1, uint64_t{1} << 40));
  WAYSTONE_RETURN_IF_ERROR(CheckRange("max_metadata_bytes", options.max_metadata_bytes, 1024, 1 << 20));
  WAYSTONE_RETURN_IF_ERROR(CheckRange("max_requests_in_flight", options.max_requests_in_flight, 1, max));
  WAYSTONE_RETURN_IF_ERROR(CheckRange("max_requests_per_stream", options.max_requests_per_stream, 1, max));
  WAYSTONE_RETURN_IF_ERROR(CheckRange("max_calls_per_connection", options.max_calls_per_connection, 1, max));
  WAYSTONE_RETURN_IF_ERROR(CheckTime("health_interval", options.health_interval));
  WAYSTONE_RETURN_IF_ERROR(CheckTime("keepalive_time", options.keepalive_time));
  WAYSTONE_RETURN_IF_ERROR(CheckTime("keepalive_timeout", options.keepalive_timeout));
  WAYSTONE_RETURN_IF_ERROR(CheckTime("min_ping_interval", options.min_ping_interval));
  return CheckTime("max_connection_idle", options.max_connection_idle);
}

// "address:port" as gRPC reads it.
absl::StatusOr<std::string> ListeningAddress(const GrpcServerOptions& options) {
  unsigned char parsed[sizeof(in6_addr)];
  if (inet_pton(AF_INET, options.address.c_str(), parsed) == 1) {
    return absl::StrCat(options.address, ":", options.port);
  }
  if (inet_pton(AF_INET6, options.address.c_str(), parsed) == 1) {
    return absl::StrCat("[", options.address, "]:", options.port);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("gRPC server: '", LogSafe(options.address), "' is no IPv4 or IPv6 address"));
}

void SetLimits(const GrpcServerOptions& options, grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_message_bytes));
  builder.SetMaxSendMessageSize(-1);
  const auto set = [&builder](const char* name, int64_t value) {
    builder.AddChannelArgument(name, static_cast<int>(std::min(value, kMaxInt)));
  };
  set(GRPC_ARG_ALLOW_REUSEPORT, 0);  // or two servers would share a port without a word
  set(GRPC_ARG_MAX_METADATA_SIZE, static_cast<int64_t>(options.max_metadata_bytes));
  set(GRPC_ARG_MAX_CONCURRENT_STREAMS, static_cast<int64_t>(options.max_calls_per_connection));
  set(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(options.keepalive_time));
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(options.keepalive_timeout));
  set(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, Milliseconds(options.min_ping_interval));
  set(GRPC_ARG_MAX_CONNECTION_IDLE_MS, Milliseconds(options.max_connection_idle));
  if (options.accept_compressed) return;
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  set(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);  // else it inflates before it refuses
}

class CallbackGrpcServer final : public GrpcServer {
 public:
  CallbackGrpcServer(const GrpcServerOptions& options, InferenceService& service)
      : admission_(std::make_shared<Admission>(options.max_requests_in_flight, options.max_bytes_in_flight)),
        streams_(std::make_shared<CallRegistry<InferStream>>(options.max_streams)),
        inference_({.service = service,
                    .admission = admission_,
                    .streams = streams_,
                    .limits = options.infer,
                    .max_parsed_bytes = options.max_parsed_bytes,
                    .max_in_flight = options.max_requests_per_stream}),
        health_(service, admission_, options.max_health_watches, options.health_interval) {}
  ~CallbackGrpcServer() override { Stop(Duration::zero()); }

  absl::Status Listen(const GrpcServerOptions& options) {
    WAYSTONE_ASSIGN_OR_RETURN(const std::string address, ListeningAddress(options));
    grpc::ServerBuilder builder;
    SetLimits(options, builder);
    int port = 0;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&inference_);
    builder.RegisterService(&health_);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (server == nullptr || port == 0) {
      return absl::UnavailableError(absl::StrCat("gRPC server: cannot listen on ", address));
    }
    port_ = static_cast<uint16_t>(port);
    MutexLock lock(mutex_);
    server_ = std::move(server);
    return absl::OkStatus();
  }

  void Start() override { admission_->Open(); }
  uint16_t port() const override { return port_; }

  bool Stop(Duration drain) override {
    MutexLock lock(mutex_);
    if (server_ != nullptr) {
      Drain(drain);
      server_.reset();
    }
    return cut_off_.load() == 0;
  }

  GrpcServerStats stats() const override {
    const Admission::Counts counts = admission_->counts();
    return {.requests = counts.accepted,
            .requests_refused = counts.refused,
            .requests_in_flight = counts.inside,
            .bytes_in_flight = counts.bytes,
            .streams_open = streams_->size(),
            .health_watches_open = health_.watches(),
            .cut_off = cut_off_.load()};
  }

 private:
  // The port stays open while requests end: a client that comes now is told why it is refused.
  void Drain(Duration drain) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const Deadline end = Deadline::After(SteadyClock().Now(), drain);
    admission_->Close();
    health_.Refresh();
    for (const std::shared_ptr<InferStream>& stream : streams_->All()) stream->BeginDrain();
    if (!admission_->AwaitEmpty(drain)) cut_off_.store(admission_->counts().inside);
    const Duration left = std::clamp(end.Left(SteadyClock().Now()), kShortLeast, kShortMost);
    server_->Shutdown(std::chrono::system_clock::now() +
                      std::chrono::duration_cast<std::chrono::system_clock::duration>(left));
    server_->Wait();
  }

  const std::shared_ptr<Admission> admission_;
  const std::shared_ptr<CallRegistry<InferStream>> streams_;
  InferenceCalls inference_;
  HealthCalls health_;
  uint16_t port_ = 0;
  std::atomic<uint64_t> cut_off_{0};
  Mutex mutex_;
  std::unique_ptr<grpc::Server> server_ ABSL_GUARDED_BY(mutex_);  // last: it ends before what it calls
};

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Create(const GrpcServerOptions& options,
                                                               InferenceService& service) {
  WAYSTONE_RETURN_IF_ERROR(CheckOptions(options));
  RouteLibraryLogs();
  auto server = std::make_unique<CallbackGrpcServer>(options, service);
  WAYSTONE_RETURN_IF_ERROR(server->Listen(options));
  return server;
}

}  // namespace waystone
