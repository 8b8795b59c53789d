// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/webp_container.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace waystone {
namespace {

constexpr size_t kRiffHeadBytes = 12;
constexpr size_t kChunkHeadBytes = 8;
constexpr size_t kExtendedBytes = 10;   // content of VP8X
constexpr size_t kFrameHeadBytes = 16;  // before the chunks inside ANMF
constexpr uint8_t kAnimationFlag = 0x02;

uint32_t LittleEndian(std::string_view bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

struct Chunk {
  std::string_view type;
  std::string_view content;  // what the file has of it
  std::string_view from;     // from the chunk's head to the end of what holds it
};

// Takes the first chunk off `rest`; false at the end.
bool NextChunk(std::string_view& rest, Chunk& chunk) {
  if (rest.size() < kChunkHeadBytes) return false;
  const size_t length = LittleEndian(rest, 4, 4);
  chunk = {rest.substr(0, 4), rest.substr(kChunkHeadBytes, length), rest};
  const size_t padded = length + (length & 1);
  rest.remove_prefix(std::min(rest.size(), kChunkHeadBytes + padded));
  return true;
}

bool IsFrameData(std::string_view type) { return type == "VP8 " || type == "VP8L" || type == "ALPH"; }

// The first frame data inside an ANMF chunk's content.
void ReadAnimationFrame(std::string_view content, WebpContainer& container) {
  if (content.size() < kFrameHeadBytes) return;
  container.frame_x = static_cast<int>(2 * LittleEndian(content, 0, 3));
  container.frame_y = static_cast<int>(2 * LittleEndian(content, 3, 3));
  std::string_view rest = content.substr(kFrameHeadBytes);
  Chunk chunk;
  while (container.frame.empty() && NextChunk(rest, chunk)) {
    if (IsFrameData(chunk.type)) container.frame = chunk.from;
  }
}

void ReadChunk(const Chunk& chunk, WebpContainer& container) {
  if (chunk.type == "VP8X" && chunk.content.size() >= kExtendedBytes && container.canvas_width == 0) {
    container.animated = (static_cast<uint8_t>(chunk.content[0]) & kAnimationFlag) != 0;
    container.canvas_width = static_cast<int>(1 + LittleEndian(chunk.content, 4, 3));
    container.canvas_height = static_cast<int>(1 + LittleEndian(chunk.content, 7, 3));
  } else if (chunk.type == "EXIF" && container.exif.empty()) {
    container.exif = chunk.content;
  } else if (container.frame.empty() && container.animated && chunk.type == "ANMF") {
    ReadAnimationFrame(chunk.content, container);
  } else if (container.frame.empty() && !container.animated && IsFrameData(chunk.type)) {
    container.frame = chunk.from;
  }
}

}  // namespace

absl::StatusOr<WebpContainer> ReadWebpContainer(std::string_view file) {
  const size_t claimed = size_t{LittleEndian(file, 4, 4)} + kChunkHeadBytes;
  std::string_view rest = file.substr(kRiffHeadBytes, std::max(claimed, kRiffHeadBytes) - kRiffHeadBytes);
  WebpContainer container;
  Chunk chunk;
  while (NextChunk(rest, chunk)) {
    ReadChunk(chunk, container);
    const bool simple = container.canvas_width == 0;
    if (simple && !container.frame.empty()) break;  // nothing follows in a file without the extended header
  }
  if (!container.frame.empty()) return container;
  if (claimed > file.size()) return absl::DataLossError("WebP: the data end before the first frame");
  return absl::InvalidArgumentError("WebP: the file holds no frame");
}

}  // namespace waystone
