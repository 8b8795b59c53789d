// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/read_model.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include <openvino/frontend/manager.hpp>
#include <openvino/openvino.hpp>

#include "base/file.h"
#include "base/status.h"
#include "engine/onnx_external_data.h"
#include "engine/openvino/conversion.h"

namespace waystone {
namespace {

constexpr size_t kMaxWeights = size_t{4} << 30;  // bytes of an IR's .bin
constexpr size_t kIrHeader = 1024;               // bytes within which an IR's root element begins

// A folder that only this user can read, gone at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  absl::Status Create() {
    std::error_code error;
    std::string pattern = std::filesystem::temp_directory_path(error) / "waystone-model-XXXXXX";
    if (error || mkdtemp(pattern.data()) == nullptr) {
      return absl::FailedPreconditionError(absl::StrCat("cannot make a temporary folder for a model: ",
                                                        error ? error.message() : std::strerror(errno)));
    }
    path_ = pattern;
    return absl::OkStatus();
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

absl::StatusOr<std::string> WeightsFile(const std::string& folder) {
  if (folder.empty()) {
    return absl::InvalidArgumentError(
        "an IR model needs its folder: the weights are in a .bin file beside it");
  }
  std::string found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".bin") continue;
    if (!found.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the folder ", folder, " of an IR model has more than one .bin"));
    }
    found = entry.path().string();
  }
  if (error) return absl::InvalidArgumentError(absl::StrCat("cannot list ", folder, ": ", error.message()));
  if (found.empty())
    return absl::InvalidArgumentError(absl::StrCat("the folder ", folder, " has no .bin file"));
  return found;
}

absl::StatusOr<std::shared_ptr<ov::Model>> ReadIr(const ov::Core& core, std::string_view bytes,
                                                  const std::string& folder) {
  if (bytes.substr(0, kIrHeader).find("<net") == std::string_view::npos) {
    return absl::InvalidArgumentError("these bytes are no IR model: there is no <net> at their beginning");
  }
  WAYSTONE_ASSIGN_OR_RETURN(const std::string path, WeightsFile(folder));
  WAYSTONE_ASSIGN_OR_RETURN(const std::string content, ReadFile(path, kMaxWeights));
  ov::Tensor weights(ov::element::u8, ov::Shape{content.size()});  // the graph keeps a share of it
  std::memcpy(weights.data(), content.data(), content.size());
  return core.read_model(std::string(bytes), weights);
}

// Core::read_model would hand bytes it cannot place to every frontend in turn: all their libraries are loaded
// and some write to standard error. The format is known, so its frontend is named.
absl::StatusOr<std::shared_ptr<ov::Model>> ReadWithFrontend(const std::string& framework,
                                                            const ov::AnyVector& source) {
  ov::frontend::FrontEndManager frontends;
  const ov::frontend::FrontEnd::Ptr frontend = frontends.load_by_framework(framework);
  return frontend->convert(frontend->load(source));
}

absl::StatusOr<std::shared_ptr<ov::Model>> ReadOnnx(std::string_view bytes) {
  // OpenVINO opens whatever path the model names, absolute ones too.
  WAYSTONE_ASSIGN_OR_RETURN(const bool external, HasExternalData(bytes));
  if (external) {
    return absl::UnimplementedError("an ONNX model with weights in other files is not read by OpenVINO here");
  }
  std::istringstream stream{std::string(bytes)};
  return ReadWithFrontend("onnx", {static_cast<std::istream*>(&stream)});
}

absl::StatusOr<std::shared_ptr<ov::Model>> ReadTfLite(std::string_view bytes) {
  TemporaryFolder folder;
  WAYSTONE_RETURN_IF_ERROR(folder.Create());
  const std::string path = folder.path() + "/model.tflite";
  WAYSTONE_RETURN_IF_ERROR(WriteFileAtomically(path, {bytes.data(), bytes.size()}));
  return ReadWithFrontend("tflite", {path});
}

}  // namespace

absl::StatusOr<std::shared_ptr<ov::Model>> ReadOpenVinoModel(const ov::Core& core, std::string_view bytes,
                                                             const std::string& format,
                                                             const std::string& folder) {
  return Guarded(absl::StatusCode::kInvalidArgument, absl::StrCat("cannot read the ", format, " model"),
                 [&]() -> absl::StatusOr<std::shared_ptr<ov::Model>> {
                   if (format == "ir") return ReadIr(core, bytes, folder);
                   if (format == "tflite") return ReadTfLite(bytes);
                   return ReadOnnx(bytes);
                 });
}

}  // namespace waystone
