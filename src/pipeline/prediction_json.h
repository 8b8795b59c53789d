// SPDX-License-Identifier: Apache-2.0
//
// A prediction as JSON, the one form that the command line, the server and saved files share. Thread-safe (no
// state).
#pragma once

#include <string>
#include <vector>

#include "types/prediction.h"

namespace waystone {

// {"source", "width", "height", "model", "task", "results": [...], "timing_ms": {"decode", "preprocess",
// "infer", "postprocess", "total"}} on one line. A result of detect is {"label", "class_id", "score", "box":
// [x_min, y_min, x_max, y_max]} in pixels of the upright picture, of classify {"label", "class_id", "score"}.
// A class without a label is called by its number. Scores are rounded to 5 decimals, boxes to 2, times to 3;
// bytes that are not UTF-8 become U+FFFD.
std::string PredictionToJson(const Prediction& prediction, const std::vector<std::string>& labels);

}  // namespace waystone
