// SPDX-License-Identifier: Apache-2.0
#include "grpc/call_status.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "types/refusal.h"

namespace waystone {
namespace {

constexpr size_t kMaxNameBytes = 80;

// Bytes of the UTF-8 sequence at the start of `text` (RFC 3629), 0 for none.
size_t SequenceLength(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const uint8_t second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool beyond =
      (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);  // surrogates, range
  return overlong || beyond ? 0 : length;
}

std::string Clipped(absl::string_view text, size_t max_bytes) {
  std::string clean;
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    const bool control = length == 1 && (static_cast<uint8_t>(text[0]) < 0x20 || text[0] == 0x7F);
    const absl::string_view piece = length == 0 || control ? "?" : text.substr(0, length);
    if (clean.size() + piece.size() > max_bytes - 3) {
      clean += "...";
      break;
    }
    clean.append(piece.data(), piece.size());
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return clean;
}

}  // namespace

std::string WireText(absl::string_view text) { return Clipped(text, kMaxErrorBytes); }

std::string WireName(absl::string_view name) { return Clipped(name, kMaxNameBytes); }

std::string WireMessage(const absl::Status& status) {
  if (!status.message().empty()) return WireText(status.message());
  return absl::StatusCodeToString(status.code());
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  // Numbers beyond the canonical ones do not exist on the wire.
  const int code = static_cast<int>(status.code());
  const bool canonical = code >= grpc::StatusCode::CANCELLED && code <= grpc::StatusCode::UNAUTHENTICATED;
  return {canonical ? static_cast<grpc::StatusCode>(code) : grpc::StatusCode::UNKNOWN, WireMessage(status)};
}

void AddRefusal(const absl::Status& status, grpc::ServerContextBase& context) {
  const std::string reason = RefusalReasonOf(status);
  if (!reason.empty()) context.AddTrailingMetadata(kRefusalKey, reason);
  if (const std::optional<Duration> retry_after = RetryAfterOf(status); retry_after.has_value()) {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(*retry_after).count();
    context.AddTrailingMetadata(kRetryAfterKey, std::to_string(ms));
  }
}

}  // namespace waystone
