// SPDX-License-Identifier: Apache-2.0
//
// A prediction as JSON, the one form that the command line, the server and saved files share. Thread-safe (no
// state).
#pragma once

#include <string>

#include "types/prediction.h"

namespace waystone {

// {"source", "width", "height", "model", "task", "results": [...], "timing_ms": {"decode", "preprocess",
// "infer", "postprocess", "total"}} on one line; what a result of each task holds is in docs/answers.md.
// Places are pixels of the upright picture. A class without a label is called by its number. Scores are
// rounded to 5 decimals, pixels to 2, times to 3; bytes that are not UTF-8 become U+FFFD.
std::string PredictionToJson(const Prediction& prediction, const AnswerNames& names);

}  // namespace waystone
