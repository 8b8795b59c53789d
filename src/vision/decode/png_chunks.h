// SPDX-License-Identifier: Apache-2.0
//
// The chunks of a PNG file (PNG, third edition, section 5): a reader that passes on the critical ones and
// tRNS and leaves out all others, and a search for EXIF. Neither takes memory. Thread-compatible; views into
// the file.
#pragma once

#include <cstddef>
#include <string_view>

namespace waystone {

class PngChunkFilter {
 public:
  // `file` begins with the PNG signature.
  explicit PngChunkFilter(std::string_view file);

  PngChunkFilter(const PngChunkFilter&) = delete;
  PngChunkFilter& operator=(const PngChunkFilter&) = delete;

  // Copies up to `size` bytes of what is passed on; fewer only at the end.
  size_t Read(char* to, size_t size);

 private:
  bool NextChunk();
  void PassWhatIsThere(std::string_view cut_chunk);

  std::string_view rest_;     // from the next chunk on
  std::string_view window_;   // of the current chunk, to be passed on
  std::string_view content_;  // of a chunk that is cut off, behind its head
  char cut_head_[8] = {};     // the head of such a chunk, with the length that is there
};

// The content of the first eXIf chunk, or nothing.
std::string_view FindPngExif(std::string_view file);

}  // namespace waystone
