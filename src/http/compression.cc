// SPDX-License-Identifier: Apache-2.0
#include "http/compression.h"

#include <algorithm>
#include <zlib.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "base/check.h"

namespace waystone {
namespace {

constexpr size_t kStep = size_t{64} << 10;
constexpr int kGzipBits = 15 + 16;  // zlib's way to say gzip
constexpr int kZlibBits = 15;

int WindowBits(ContentCoding coding) { return coding == ContentCoding::kGzip ? kGzipBits : kZlibBits; }

// Ends the stream whatever way the function is left.
struct InflateStream {
  z_stream stream = {};
  ~InflateStream() { inflateEnd(&stream); }
};

// The weight of one element of the header, 1 where it states none, 0 where it cannot be read.
double Weight(absl::string_view parameters) {
  parameters = absl::StripAsciiWhitespace(parameters);
  if (parameters.empty()) return 1;
  double weight = 0;
  if (!absl::StartsWithIgnoreCase(parameters, "q=") || !absl::SimpleAtod(parameters.substr(2), &weight))
    return 0;
  return weight >= 0 && weight <= 1 ? weight : 0;
}

}  // namespace

std::optional<ContentCoding> ContentCodingFromName(absl::string_view name) {
  name = absl::StripAsciiWhitespace(name);
  if (name.empty() || absl::EqualsIgnoreCase(name, "identity")) return ContentCoding::kIdentity;
  if (absl::EqualsIgnoreCase(name, "gzip") || absl::EqualsIgnoreCase(name, "x-gzip"))
    return ContentCoding::kGzip;
  if (absl::EqualsIgnoreCase(name, "deflate")) return ContentCoding::kDeflate;
  return std::nullopt;
}

ContentCoding ChooseCoding(absl::string_view accept_encoding) {
  double gzip = 0;
  double deflate = 0;
  double identity = 0;
  for (const absl::string_view element : absl::StrSplit(accept_encoding, ',')) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(element, absl::MaxSplits(';', 1));
    const std::optional<ContentCoding> coding = ContentCodingFromName(parts.first);
    if (absl::StripAsciiWhitespace(parts.first).empty() || !coding) continue;
    double& weight = *coding == ContentCoding::kGzip      ? gzip
                     : *coding == ContentCoding::kDeflate ? deflate
                                                          : identity;
    weight = Weight(parts.second);
  }
  if (gzip > 0 && gzip >= deflate && gzip >= identity) return ContentCoding::kGzip;
  if (deflate > 0 && deflate >= identity) return ContentCoding::kDeflate;
  return ContentCoding::kIdentity;
}

absl::string_view Name(ContentCoding coding) {
  switch (coding) {
    case ContentCoding::kGzip:
      return "gzip";
    case ContentCoding::kDeflate:
      return "deflate";
    case ContentCoding::kIdentity:
      break;
  }
  return "identity";
}

absl::StatusOr<std::string> Inflate(absl::string_view compressed, ContentCoding coding, size_t max_bytes) {
  if (coding == ContentCoding::kIdentity) return std::string(compressed);
  InflateStream owned;
  z_stream& stream = owned.stream;
  if (inflateInit2(&stream, WindowBits(coding)) != Z_OK) {
    return absl::ResourceExhaustedError("no memory to decompress the body");
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string bytes;
  while (true) {
    const size_t done = bytes.size();
    // One byte more than allowed tells that there is more.
    const size_t step = std::min(std::max(kStep, done), max_bytes + 1 - done);
    bytes.resize(done + step);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + done);
    stream.avail_out = static_cast<uInt>(step);
    const int result = inflate(&stream, Z_NO_FLUSH);
    bytes.resize(done + step - stream.avail_out);
    if (bytes.size() > max_bytes) {
      return absl::OutOfRangeError(
          absl::StrCat("the decompressed body has more than the limit of ", max_bytes, " bytes"));
    }
    if (result == Z_STREAM_END) break;
    if (result != Z_OK || (stream.avail_in == 0 && stream.avail_out > 0)) {
      return absl::InvalidArgumentError(absl::StrCat("the body is not ", Name(coding), ", or ends early"));
    }
  }
  if (stream.avail_in > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(stream.avail_in, " bytes follow the end of the ", Name(coding), " body"));
  }
  return bytes;
}

std::string Deflate(absl::string_view bytes, ContentCoding coding) {
  z_stream stream = {};
  const int started =
      deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WindowBits(coding), 8, Z_DEFAULT_STRATEGY);
  WAYSTONE_CHECK(started == Z_OK, "zlib takes its own defaults");
  std::string compressed(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  const int ended = deflate(&stream, Z_FINISH);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  WAYSTONE_CHECK(ended == Z_STREAM_END, "the bound of zlib holds");
  return compressed;
}

}  // namespace waystone
