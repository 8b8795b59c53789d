// SPDX-License-Identifier: Apache-2.0
//
// Compressed bodies of any content: an error, or no more than was allowed.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "http/compression.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace waystone;
  constexpr size_t kMaxBytes = 10'000;
  const absl::string_view body(reinterpret_cast<const char*>(data), size);
  for (const ContentCoding coding : {ContentCoding::kGzip, ContentCoding::kDeflate}) {
    const auto bytes = Inflate(body, coding, kMaxBytes);
    WAYSTONE_CHECK(!bytes.ok() || bytes->size() <= kMaxBytes, "the limit holds");
  }
  return 0;
}
