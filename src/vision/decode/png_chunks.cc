// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/png_chunks.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace waystone {
namespace {

constexpr size_t kSignatureBytes = 8;
constexpr size_t kHeadBytes = 8;    // length and type
constexpr size_t kFrameBytes = 12;  // head and checksum

uint32_t ContentLength(std::string_view chunk) {
  uint32_t length = 0;
  for (size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<uint8_t>(chunk[i]);
  return length;
}

std::string_view TypeOf(std::string_view chunk) { return chunk.substr(4, 4); }

// Bit 5 of the first letter says that a picture can be shown without the chunk.
bool MattersForPixels(std::string_view type) { return (type[0] & 0x20) == 0 || type == "tRNS"; }

}  // namespace

PngChunkFilter::PngChunkFilter(std::string_view file)
    : rest_(file.substr(std::min(kSignatureBytes, file.size()))), window_(file.substr(0, kSignatureBytes)) {}

bool PngChunkFilter::NextChunk() {
  if (!content_.empty()) {
    window_ = std::exchange(content_, {});
    return true;
  }
  while (!rest_.empty()) {
    const bool cut_head = rest_.size() < kHeadBytes;
    const size_t size = cut_head ? rest_.size() : size_t{ContentLength(rest_)} + kFrameBytes;
    const std::string_view chunk = rest_.substr(0, size);
    const bool wanted = cut_head || MattersForPixels(TypeOf(chunk));
    rest_.remove_prefix(chunk.size());
    if (!wanted) continue;
    window_ = chunk;
    if (chunk.size() < size && chunk.size() > kHeadBytes && TypeOf(chunk) == "IDAT") PassWhatIsThere(chunk);
    return true;
  }
  return false;
}

// The library asks for pixel data in pieces and drops a piece that is not whole; told the true length, it
// uses all bytes before it finds the end of the file where a checksum should be.
void PngChunkFilter::PassWhatIsThere(std::string_view cut_chunk) {
  const auto length =
      std::min<uint32_t>(ContentLength(cut_chunk), static_cast<uint32_t>(cut_chunk.size() - kHeadBytes));
  std::memcpy(cut_head_, cut_chunk.data(), kHeadBytes);
  for (int i = 0; i < 4; ++i) cut_head_[i] = static_cast<char>(length >> (24 - 8 * i) & 0xFF);
  window_ = std::string_view(cut_head_, kHeadBytes);
  content_ = cut_chunk.substr(kHeadBytes);
}

size_t PngChunkFilter::Read(char* to, size_t size) {
  size_t copied = 0;
  while (copied < size) {
    if (window_.empty() && !NextChunk()) break;
    const size_t count = std::min(size - copied, window_.size());
    std::memcpy(to + copied, window_.data(), count);
    window_.remove_prefix(count);
    copied += count;
  }
  return copied;
}

std::string_view FindPngExif(std::string_view file) {
  std::string_view rest = file.substr(std::min(kSignatureBytes, file.size()));
  while (rest.size() >= kHeadBytes) {
    const size_t length = ContentLength(rest);
    if (TypeOf(rest) == "eXIf") return rest.substr(kHeadBytes, length);
    if (TypeOf(rest) == "IEND") break;
    rest.remove_prefix(std::min(rest.size(), length + kFrameBytes));
  }
  return {};
}

}  // namespace waystone
