// SPDX-License-Identifier: Apache-2.0
//
// A prediction for people to read on a terminal.
#pragma once

#include "types/prediction.h"

namespace waystone {

// Prints what the picture is, a row for each answer, and with `timing` what each stage took.
void PrintPrediction(const Prediction& prediction, const AnswerNames& names, bool timing);

}  // namespace waystone
