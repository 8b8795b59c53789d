// SPDX-License-Identifier: Apache-2.0
//
// POST /predict: {"input": ...} to {"output": ...}. A nested list of rank 3 whose last side is 3 is a picture
// (rows of RGB pixels, 0..255); one of rank 4 is the network's input tensor as it is. The output is the list
// of results for a picture, and the output tensor (by name where there are several) for a tensor. Thread-safe
// (no state).
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

#include "http/predict_body.h"
#include "serving/picture_service.h"

namespace waystone {

// Fills request.input. InvalidArgument when the list is neither a picture nor what the model takes;
// OutOfRange for a picture over the pixel budget.
absl::Status FillInput(PredictInput input, const PictureModel& model, PictureRequest& request);
std::string PredictOutputJson(PictureResult& result, const AnswerNames& names);

}  // namespace waystone
