// SPDX-License-Identifier: Apache-2.0
//
// Every odd and broken picture of the test data gives the right picture or a clean error, within the memory
// budget. Each file is decoded in a child process, so that a crash names its file and the peak of memory is
// the file's own.
#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "support/test_data.h"
#include "vision/decode/decode.h"

namespace waystone {
namespace {

constexpr int64_t kExtraBytes = int64_t{64} << 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// What the child reports.
struct Outcome {
  int code = -1;
  int width = 0;
  int height = 0;
  int64_t header_pixels = 0;  // as the header says, 0 when it is refused
  int64_t extra_bytes = 0;    // peak memory over that before the decode
  double cpu_ms = 0;
  char message[256] = {};
};

int64_t PeakBytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

Outcome DecodeHere(const std::string& encoded, const DecodeOptions& options) {
  Outcome outcome;
  if (const auto info = ReadPictureInfo(encoded, options.limits); info.ok()) {
    outcome.header_pixels = int64_t{info->width} * info->height;
  }
  const int64_t before = PeakBytes();
  const std::clock_t begin = std::clock();
  const auto picture = DecodePicture(encoded, options);
  outcome.cpu_ms = 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  outcome.extra_bytes = PeakBytes() - before;
  outcome.code = static_cast<int>(picture.status().code());
  const std::string message(picture.status().message());
  std::strncpy(outcome.message, message.c_str(), sizeof(outcome.message) - 1);
  if (picture.ok()) {
    outcome.width = picture->image.width;
    outcome.height = picture->image.height;
  }
  return outcome;
}

// The outcome from a child process; a code of -1 when the child did not live to report.
Outcome DecodeInChild(const std::string& encoded, const DecodeOptions& options) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Outcome outcome = DecodeHere(encoded, options);
    const bool written = write(ends[1], &outcome, sizeof(outcome)) == sizeof(outcome);
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Outcome outcome;
  if (read(ends[0], &outcome, sizeof(outcome)) != sizeof(outcome)) outcome = Outcome();
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child ended with status " << status;
  return outcome;
}

// Files that Pillow and OpenCV decode and Waystone refuses, with the code it refuses them by.
const std::map<std::string, absl::StatusCode>& Exceptions() {
  static const auto* const kExceptions = new std::map<std::string, absl::StatusCode>{
      // Pixels are lost: the entropy-coded data are broken or end within the picture. The others make them
      // up.
      {"jpeg_corrupt/dc-predictor-overflow.jpg", absl::StatusCode::kInvalidArgument},
      {"jpeg_corrupt/1cbb1bb37d62c44f67374cd451643dc4.jpg", absl::StatusCode::kInvalidArgument},
      {"jpeg_corrupt/5482a54657765056f1a94116a8dbffe7.jpg", absl::StatusCode::kInvalidArgument},
      {"jpeg_corrupt/b55977028a3a574336966b6536640fc9.jpg", absl::StatusCode::kInvalidArgument},
      {"jpeg_corrupt/f6b4389c3cf0f5997b2e5a4b905aea8d.jpg", absl::StatusCode::kInvalidArgument},
      // A side over PictureLimits::max_side.
      {"made/wide_60000x1.png", absl::StatusCode::kOutOfRange},
      {"made/tall_1x60000.png", absl::StatusCode::kOutOfRange},
  };
  return *kExceptions;
}

bool OthersDecode(const nlohmann::json& entry) {
  const auto ok = [&](const char* who) {
    return entry["decoded_by"].value(who, std::string("fail")).substr(0, 2) == "ok";
  };
  return ok("pillow") && ok("opencv");
}

nlohmann::json ReadManifest() {
  std::ifstream stream(TestDataPath("images/robustness/manifest.json"));
  return nlohmann::json::parse(stream);
}

bool IsCleanError(int code) {
  switch (static_cast<absl::StatusCode>(code)) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kUnimplemented:
      return true;
    default:
      return false;
  }
}

void ExpectRightOutcome(const nlohmann::json& entry, const Outcome& outcome) {
  const std::string path = entry["path"];
  const int ok = static_cast<int>(absl::StatusCode::kOk);
  if (outcome.code != ok) {
    EXPECT_TRUE(IsCleanError(outcome.code)) << outcome.code;
    EXPECT_NE(outcome.message[0], '\0');
  }
  if (const auto exception = Exceptions().find(path); exception != Exceptions().end()) {
    EXPECT_EQ(outcome.code, static_cast<int>(exception->second)) << outcome.message;
  } else if (path.starts_with("other_formats/")) {
    EXPECT_EQ(outcome.code, static_cast<int>(absl::StatusCode::kUnimplemented)) << outcome.message;
  } else if (OthersDecode(entry)) {
    EXPECT_EQ(outcome.code, ok) << outcome.message;
  }
}

TEST(RobustnessTest, EveryFileGivesAPictureOrACleanErrorWithinTheMemoryBudget) {
  WAYSTONE_SKIP_WITHOUT_DATA("images/robustness/manifest.json");
  double slowest_ms = 0;
  int64_t most_extra_bytes = 0;
  std::string slowest;
  std::string largest;
  for (const nlohmann::json& entry : ReadManifest()) {
    const std::string path = entry["path"];
    SCOPED_TRACE(path);
    const std::string encoded = ReadTestFile(TestDataPath("images/robustness/" + path));
    for (const bool allow_partial : {false, true}) {
      DecodeOptions options;
      options.allow_partial = allow_partial;
      const Outcome outcome = DecodeInChild(encoded, options);
      if (!allow_partial) ExpectRightOutcome(entry, outcome);
      const int64_t pixel_bytes = 3 * outcome.header_pixels;
      if (!kSanitized) {
        EXPECT_LE(outcome.extra_bytes, pixel_bytes + kExtraBytes);
      }
      if (outcome.cpu_ms > slowest_ms) {
        slowest_ms = outcome.cpu_ms;
        slowest = path;
      }
      if (outcome.extra_bytes - pixel_bytes > most_extra_bytes) {
        most_extra_bytes = outcome.extra_bytes - pixel_bytes;
        largest = path;
      }
    }
  }
  std::cout << "slowest: " << slowest << ", " << slowest_ms
            << " ms of CPU; most memory beside the pixels: " << largest << ", " << most_extra_bytes
            << " bytes\n";
}

// Reads a file of the robustness data; an empty picture and a failure when it does not decode.
Image DecodeTestFile(const std::string& path) {
  auto picture = DecodePicture(ReadTestFile(TestDataPath("images/robustness/" + path)), {});
  EXPECT_TRUE(picture.ok()) << path << ": " << picture.status();
  return picture.ok() ? std::move(picture->image) : Image();
}

double MeanDifference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height || a.pixels.empty()) return 256;
  int64_t sum = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) sum += std::abs(a.pixels[i] - b.pixels[i]);
  return static_cast<double>(sum) / static_cast<double>(a.pixels.size());
}

TEST(RobustnessTest, PicturesEqualTheReferencesOfOtherDecoders) {
  WAYSTONE_SKIP_WITHOUT_DATA("images/robustness/reference");
  std::map<std::string, std::string> files;  // by stem and by name
  for (const nlohmann::json& entry : ReadManifest()) {
    const std::filesystem::path path = std::string(entry["path"]);
    files.emplace(path.stem(), path);
    files.emplace(path.filename(), path);
  }
  int compared = 0;
  for (const auto& reference :
       std::filesystem::directory_iterator(TestDataPath("images/robustness/reference"))) {
    const std::string name = reference.path().stem();
    SCOPED_TRACE(name);
    if (!files.contains(name)) continue;
    const Image picture = DecodeTestFile(files[name]);
    const Image expected = DecodeTestFile("reference/" + std::string(reference.path().filename()));
    EXPECT_LT(MeanDifference(picture, expected), 0.5);
    ++compared;
  }
  EXPECT_GE(compared, 15);
}

TEST(RobustnessTest, EveryOrientationShowsTheSamePicture) {
  WAYSTONE_SKIP_WITHOUT_DATA("images/robustness/made");
  const Image upright = DecodeTestFile("made/photo_exif_orientation_1.jpg");
  for (const int orientation : {3, 4, 5, 6, 7}) {
    const Image turned = DecodeTestFile(absl::StrCat("made/photo_exif_orientation_", orientation, ".jpg"));
    EXPECT_LT(MeanDifference(turned, upright), 4) << orientation;
  }
}

}  // namespace
}  // namespace waystone
