// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/openvino_engine.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <openvino/openvino.hpp>

#include "base/status.h"
#include "engine/load_checks.h"
#include "engine/module.h"
#include "engine/openvino/conversion.h"
#include "engine/openvino/openvino_model.h"
#include "engine/openvino/read_model.h"

namespace waystone {
namespace {

// A device quietly keeps the precision it can run, so each is set and read back. Leaves the device at f32.
std::vector<std::string> ProbePrecisions(ov::Core& core, const std::string& device) {
  std::vector<std::string> precisions;
  for (const ov::element::Type type : {ov::element::bf16, ov::element::f16, ov::element::f32}) {
    try {
      core.set_property(device, ov::hint::inference_precision(type));
      if (core.get_property(device, ov::hint::inference_precision) == type) {
        precisions.insert(precisions.begin(), type.to_string());
      }
    } catch (const std::exception&) {
      continue;  // a device that refuses the property does not run the precision
    }
  }
  return precisions;
}

DeviceInfo Probe(ov::Core& core, const std::string& name) {
  DeviceInfo info = {name, false, "", {}};
  const std::string device = absl::AsciiStrToUpper(name);
  const std::vector<std::string> present = core.get_available_devices();
  info.available = std::any_of(present.begin(), present.end(), [&device](const std::string& candidate) {
    return candidate == device || absl::StartsWith(candidate, device + ".");
  });
  if (info.available) {
    info.precisions = ProbePrecisions(core, device);
  } else {
    info.reason = absl::StrCat(
        "OpenVINO finds none on this machine: the device, its driver or the library libopenvino_intel_", name,
        "_plugin.so is missing");
  }
  return info;
}

absl::StatusOr<std::unique_ptr<Engine>> CreateModuleEngine(const std::string& /*folder*/) {
  return OpenVinoEngine::Create();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> OpenVinoEngine::Create() {
  return Guarded(absl::StatusCode::kFailedPrecondition, "cannot start OpenVINO",
                 []() -> absl::StatusOr<std::unique_ptr<Engine>> {
                   std::unique_ptr<OpenVinoEngine> engine(new OpenVinoEngine);
                   engine->info_ = {"openvino",
                                    ov::get_openvino_version().buildNumber,
                                    {"onnx", "ir", "tflite"},
                                    {Probe(engine->core_, "cpu"), Probe(engine->core_, "gpu")}};
                   return engine;
                 });
}

absl::StatusOr<std::unique_ptr<Model>> OpenVinoEngine::Load(std::string_view bytes, const std::string& format,
                                                            const std::string& folder,
                                                            const LoadOptions& options) const {
  WAYSTONE_RETURN_IF_ERROR(CheckLoadRequest(info_, format, options));
  WAYSTONE_RETURN_IF_ERROR(CheckDevice(info_, options.device, options.precision));
  WAYSTONE_RETURN_IF_ERROR(
      CheckOptionNames(absl::StrCat("OpenVINO's device '", options.device, "'"), options.device_options, {}));
  WAYSTONE_ASSIGN_OR_RETURN(std::shared_ptr<ov::Model> graph,
                            ReadOpenVinoModel(core_, bytes, format, folder));
  return OpenVinoModel::Create(core_, std::move(graph), options);
}

}  // namespace waystone

WAYSTONE_ENGINE_MODULE(&waystone::CreateModuleEngine)
