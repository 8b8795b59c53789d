// SPDX-License-Identifier: Apache-2.0
//
// libjpeg-turbo's decompressor with its errors turned into Status. The library leaves by longjmp; every call
// into it therefore runs in Try(), whose step holds nothing that has a destructor. Confined to the thread of
// the decode.
//
// EXIF is read in place by a marker handler, so that a file of many APP1 segments takes no memory. A progress
// monitor ends a decode at the deadline or after kMaxScans scans (a file may repeat cheap scans over a large
// picture).
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>  // jpeglib.h needs FILE and size_t
#include <jpeglib.h>
#include <string_view>

#include "absl/status/status.h"

#include "base/deadline.h"

namespace waystone {

class JpegReader {
 public:
  static constexpr int kMaxScans = 100;

  // `encoded` outlives this. With `strict`, lost pixels end the decode at once; else they only set damaged().
  JpegReader(std::string_view encoded, size_t max_working_bytes, Deadline deadline, bool strict);
  ~JpegReader();
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  // Up to the first scan; frame() then holds sizes and components.
  absl::Status ReadHeader();
  // Begins the output as frame()'s output fields say; reads all scans of a file that has several.
  absl::Status Start();
  // Rows next_row() .. next_row() + count - 1 to `rows`.
  absl::Status ReadRows(uint8_t** rows, int count);

  jpeg_decompress_struct& frame() { return frame_; }
  int next_row() const { return static_cast<int>(frame_.output_scanline); }
  int orientation() const { return orientation_; }
  bool has_multiple_scans() { return jpeg_has_multiple_scans(&frame_) != FALSE; }
  size_t bytes_left() const { return source_.bytes_in_buffer; }
  // Data were missing or broken so that pixels were lost.
  bool damaged() const { return missing_ || corrupt_; }

 private:
  enum class Stop { kNone, kDeadline, kScans, kDamage };

  template <typename Step>
  absl::Status Try(const char* attempt, Step step);
  absl::Status Failure(const char* attempt) const;
  [[noreturn]] void Leave(Stop stop);
  void OnWarning();
  bool AllCoefficientsKnown() const;

  static JpegReader* Of(j_common_ptr frame) { return static_cast<JpegReader*>(frame->client_data); }
  static void HandleError(j_common_ptr frame);
  static void HandleMessage(j_common_ptr frame, int level);
  static void HandleProgress(j_common_ptr frame);
  static boolean HandleApp1(j_decompress_ptr frame);
  static boolean FillInput(j_decompress_ptr frame);
  static void SkipInput(j_decompress_ptr frame,
                        long count);  // NOLINT(google-runtime-int): the library's type

  jpeg_decompress_struct frame_ = {};
  jpeg_error_mgr errors_ = {};
  jpeg_source_mgr source_ = {};
  jpeg_progress_mgr progress_ = {};
  jmp_buf jump_ = {};
  char message_[JMSG_LENGTH_MAX] = {};
  const Deadline deadline_;
  const bool strict_;
  int orientation_ = 1;
  bool exif_seen_ = false;
  bool created_ = false;
  bool started_ = false;
  bool end_reached_ = false;  // of the input, while more was wanted
  bool missing_ = false;
  bool corrupt_ = false;
  Stop stop_ = Stop::kNone;
};

}  // namespace waystone
