// SPDX-License-Identifier: Apache-2.0
//
// Holds a network against the golden answers beside its weights: the input of each golden file is made as
// model.yaml says (but without resizing: its picture is what the network takes), and the answers are compared
// value by value. Tolerances: floats 1e-3 of the output's range, half-precision inputs 1e-2; 8-bit values ten
// steps, since engines round integers differently; integers none. Thread-safe (no state).
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "engine/registry.h"
#include "serving/load_entry.h"
#include "serving/model_catalog.h"

namespace waystone {

// The golden files that are about the entry's weights; empty where there are none.
std::vector<std::string> ListGoldenFiles(const CatalogEntry& entry);

// The largest difference, as a share of the tolerance (1 or less agrees), on the engine that `options` names.
absl::StatusOr<double> CompareWithGolden(const CatalogEntry& entry, const std::string& golden_file,
                                         const EngineRegistry& engines, const PictureModelOptions& options);

}  // namespace waystone
