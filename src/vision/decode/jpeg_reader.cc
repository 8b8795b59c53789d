// SPDX-License-Identifier: Apache-2.0
#include "vision/decode/jpeg_reader.h"

#include <algorithm>
#include <jerror.h>
#include <limits>

#include "absl/strings/str_cat.h"

#include "base/clock.h"
#include "vision/decode/exif.h"

namespace waystone {
namespace {

constexpr JOCTET kEndOfImage[2] = {0xFF, JPEG_EOI};

// The classes of libjpeg's errors; all others mean a broken file.
bool IsUnsupported(int code) {
  return code == JERR_SOF_UNSUPPORTED || code == JERR_BAD_PRECISION || code == JERR_ARITH_NOTIMPL ||
         code == JERR_CCIR601_NOTIMPL || code == JERR_CONVERSION_NOTIMPL ||
         code == JERR_FRACT_SAMPLE_NOTIMPL || code == JERR_NOTIMPL || code == JERR_NOT_COMPILED;
}

bool IsTooLarge(int code) {
  return code == JERR_OUT_OF_MEMORY || code == JERR_NO_BACKING_STORE || code == JERR_IMAGE_TOO_BIG ||
         code == JERR_WIDTH_OVERFLOW;
}

}  // namespace

JpegReader::JpegReader(std::string_view encoded, size_t max_working_bytes, Deadline deadline, bool strict)
    : deadline_(deadline), strict_(strict) {
  frame_.err = jpeg_std_error(&errors_);
  errors_.error_exit = HandleError;
  errors_.emit_message = HandleMessage;
  frame_.client_data = this;
  source_.next_input_byte = reinterpret_cast<const JOCTET*>(encoded.data());
  source_.bytes_in_buffer = encoded.size();
  source_.init_source = [](j_decompress_ptr) {};
  source_.fill_input_buffer = FillInput;
  source_.skip_input_data = SkipInput;
  source_.resync_to_restart = jpeg_resync_to_restart;
  source_.term_source = [](j_decompress_ptr) {};
  progress_.progress_monitor = HandleProgress;
  const absl::Status created = Try("begin", [this, max_working_bytes] {
    jpeg_create_decompress(&frame_);
    frame_.src = &source_;
    frame_.progress = &progress_;
    // The library's own ceiling, behind the estimate that is checked beforehand.
    frame_.mem->max_memory_to_use = static_cast<long>(  // NOLINT(google-runtime-int): the library's type
        std::min<size_t>(max_working_bytes, std::numeric_limits<int32_t>::max()));
    jpeg_set_marker_processor(&frame_, JPEG_APP0 + 1, HandleApp1);
  });
  created_ = created.ok();
}

JpegReader::~JpegReader() { jpeg_destroy_decompress(&frame_); }

template <typename Step>
absl::Status JpegReader::Try(const char* attempt, Step step) {
  if (setjmp(jump_) != 0) return Failure(attempt);  // NOLINT(cert-err52-cpp): how the library reports errors
  step();
  return absl::OkStatus();
}

absl::Status JpegReader::Failure(const char* attempt) const {
  switch (stop_) {
    case Stop::kDeadline:
      return absl::DeadlineExceededError(absl::StrCat("JPEG: the deadline passed during: ", attempt));
    case Stop::kScans:
      return absl::OutOfRangeError(absl::StrCat("JPEG: more than ", kMaxScans, " scans, the limit"));
    case Stop::kNone:
    case Stop::kDamage:
      break;
  }
  const int code = errors_.msg_code;
  const std::string text = absl::StrCat("JPEG: ", attempt, ": ", message_);
  if (stop_ == Stop::kNone && IsUnsupported(code)) return absl::UnimplementedError(text);
  if (stop_ == Stop::kNone && IsTooLarge(code)) return absl::OutOfRangeError(text);
  if (end_reached_) return absl::DataLossError(absl::StrCat(text, " (the data end too early)"));
  return absl::InvalidArgumentError(text);
}

absl::Status JpegReader::ReadHeader() {
  if (!created_) return absl::ResourceExhaustedError("JPEG: no memory for the decoder");
  return Try("read the header", [this] { jpeg_read_header(&frame_, TRUE); });
}

absl::Status JpegReader::Start() {
  return Try("read the scans", [this] {
    started_ = true;
    jpeg_start_decompress(&frame_);
    // Of several scans some may be absent without a trace in the entropy-coded data.
    if (end_reached_ && has_multiple_scans() && !AllCoefficientsKnown()) {
      missing_ = true;
      std::snprintf(message_, sizeof(message_), "scans are missing");
      if (strict_) Leave(Stop::kDamage);
    }
  });
}

absl::Status JpegReader::ReadRows(uint8_t** rows, int count) {
  return Try("decode the pixels", [this, rows, count] {
    const JDIMENSION first = frame_.output_scanline;
    const auto wanted = static_cast<JDIMENSION>(count);
    while (frame_.output_scanline - first < wanted) {
      const JDIMENSION done = frame_.output_scanline - first;
      jpeg_read_scanlines(&frame_, rows + done, wanted - done);
    }
  });
}

bool JpegReader::AllCoefficientsKnown() const {
  if (frame_.coef_bits == nullptr) return false;
  for (int component = 0; component < frame_.num_components; ++component) {
    const int* bits = frame_.coef_bits[component];
    if (!std::all_of(bits, bits + DCTSIZE2, [](int missing_bits) { return missing_bits == 0; })) return false;
  }
  return true;
}

void JpegReader::Leave(Stop stop) {
  stop_ = stop;
  longjmp(jump_, 1);  // NOLINT(cert-err52-cpp)
}

void JpegReader::OnWarning() {
  switch (errors_.msg_code) {
    case JWRN_JPEG_EOF:  // no pixel is lost yet: it may be the end marker only that is missing
      end_reached_ = true;
      return;
    case JWRN_HIT_MARKER:
      missing_ = true;
      break;
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
      corrupt_ = true;
      break;
    default:
      return;
  }
  if (strict_ && started_) {
    errors_.format_message(reinterpret_cast<j_common_ptr>(&frame_), message_);
    Leave(Stop::kDamage);
  }
}

void JpegReader::HandleError(j_common_ptr frame) {
  JpegReader* reader = Of(frame);
  reader->errors_.format_message(frame, reader->message_);
  reader->Leave(Stop::kNone);
}

void JpegReader::HandleMessage(j_common_ptr frame, int level) {
  if (level < 0) Of(frame)->OnWarning();
}

void JpegReader::HandleProgress(j_common_ptr frame) {
  JpegReader* reader = Of(frame);
  if (reader->frame_.input_scan_number > kMaxScans) reader->Leave(Stop::kScans);
  if (!reader->deadline_.is_never() && reader->deadline_.HasPassed(SteadyClock().Now())) {
    reader->Leave(Stop::kDeadline);
  }
}

boolean JpegReader::HandleApp1(j_decompress_ptr frame) {
  JpegReader* reader = Of(reinterpret_cast<j_common_ptr>(frame));
  const jpeg_source_mgr& source = reader->source_;
  if (source.bytes_in_buffer < 2) {
    reader->source_.bytes_in_buffer = 0;
    return FillInput(frame);
  }
  const size_t length = static_cast<size_t>(source.next_input_byte[0]) << 8 | source.next_input_byte[1];
  if (length < 2) ERREXIT(frame, JERR_BAD_LENGTH);
  const size_t present = std::min(length, source.bytes_in_buffer) - 2;
  const std::string_view segment(reinterpret_cast<const char*>(source.next_input_byte) + 2, present);
  if (!reader->exif_seen_ && IsExifSegment(segment)) {
    reader->exif_seen_ = true;
    reader->orientation_ = OrientationFromExif(segment);
  }
  SkipInput(frame, static_cast<long>(length));  // NOLINT(google-runtime-int)
  return TRUE;
}

// The whole file was given at once, so this is its end: an end marker is put in its place, as the library
// advises.
boolean JpegReader::FillInput(j_decompress_ptr frame) {
  WARNMS(frame, JWRN_JPEG_EOF);
  frame->src->next_input_byte = kEndOfImage;
  frame->src->bytes_in_buffer = sizeof(kEndOfImage);
  return TRUE;
}

void JpegReader::SkipInput(j_decompress_ptr frame, long count) {  // NOLINT(google-runtime-int)
  if (count <= 0) return;
  jpeg_source_mgr* source = frame->src;
  if (static_cast<size_t>(count) > source->bytes_in_buffer) {
    FillInput(frame);
    return;
  }
  source->next_input_byte += count;
  source->bytes_in_buffer -= static_cast<size_t>(count);
}

}  // namespace waystone
