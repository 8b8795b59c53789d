// SPDX-License-Identifier: Apache-2.0
#include "vision/encode/jpeg_writer.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>  // jpeglib.h needs FILE and size_t
#include <cstdlib>
#include <jpeglib.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace waystone {
namespace {

// The compressor with its output; freed whatever happened.
struct JpegWriter {
  jpeg_compress_struct frame = {};
  jpeg_error_mgr errors = {};
  jmp_buf jump = {};
  char message[JMSG_LENGTH_MAX] = {};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): the library's type

  JpegWriter() = default;
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;
  ~JpegWriter() {
    jpeg_destroy_compress(&frame);
    std::free(bytes);
  }
};

void HandleError(j_common_ptr frame) {
  auto* writer = static_cast<JpegWriter*>(frame->client_data);
  writer->errors.format_message(frame, writer->message);
  longjmp(writer->jump, 1);  // NOLINT(cert-err52-cpp): how the library reports errors
}

// False on an error of the library, which is then in writer.message.
bool Write(JpegWriter& writer, ImageView image, int quality) {
  if (setjmp(writer.jump) != 0) return false;  // NOLINT(cert-err52-cpp)
  jpeg_compress_struct& frame = writer.frame;
  frame.err = jpeg_std_error(&writer.errors);
  writer.errors.error_exit = HandleError;
  frame.client_data = &writer;
  jpeg_create_compress(&frame);
  jpeg_mem_dest(&frame, &writer.bytes, &writer.size);
  frame.image_width = static_cast<JDIMENSION>(image.width);
  frame.image_height = static_cast<JDIMENSION>(image.height);
  frame.input_components = 3;
  frame.in_color_space = JCS_RGB;
  jpeg_set_defaults(&frame);
  jpeg_set_quality(&frame, quality, TRUE);
  jpeg_start_compress(&frame, TRUE);
  while (frame.next_scanline < frame.image_height) {
    // The library takes rows that are not const and only reads them.
    JSAMPROW row = const_cast<uint8_t*>(image.row(static_cast<int>(frame.next_scanline)));
    jpeg_write_scanlines(&frame, &row, 1);
  }
  jpeg_finish_compress(&frame);
  return true;
}

}  // namespace

absl::StatusOr<std::string> EncodeJpeg(ImageView image, int quality) {
  JpegWriter writer;
  if (!Write(writer, image, quality)) {
    return absl::ResourceExhaustedError(absl::StrCat("encode JPEG: ", writer.message));
  }
  return std::string(reinterpret_cast<const char*>(writer.bytes), writer.size);
}

}  // namespace waystone
