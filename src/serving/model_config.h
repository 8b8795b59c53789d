// SPDX-License-Identifier: Apache-2.0
//
// What a served model is in the words of the protocol's model configuration, for clients that read it before
// they send anything (perf_analyzer does). Thread-safe (no state).
#pragma once

#include "proto/model_config.pb.h"
#include "serving/served_model.h"

namespace waystone {

inference::ModelConfig DescribeConfig(const ServedModel& model, int instances);

}  // namespace waystone
