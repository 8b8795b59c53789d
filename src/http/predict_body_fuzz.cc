// SPDX-License-Identifier: Apache-2.0
//
// JSON bodies of /predict with small limits. What is accepted is a picture that is not empty or a tensor
// whose shape and values agree.
#include <cmath>
#include <cstdint>

#include "base/check.h"
#include "http/predict_body.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const waystone::PredictBodyLimits limits{.max_depth = 8, .max_elements = 64, .max_picture_bytes = 128};
  const auto input =
      waystone::ParsePredictBody(absl::string_view(reinterpret_cast<const char*>(data), size), limits);
  if (!input.ok()) {
    WAYSTONE_CHECK(!input.status().message().empty(), "a refusal says why");
    return 0;
  }
  if (const auto* picture = std::get_if<std::string>(&*input)) {
    WAYSTONE_CHECK(!picture->empty() && picture->size() <= limits.max_picture_bytes,
                   "a picture within the limit");
    return 0;
  }
  const auto& tensor = std::get<waystone::NestedTensor>(*input);
  WAYSTONE_CHECK(tensor.shape.ElementCount() == static_cast<int64_t>(tensor.values.size()),
                 "shape and values agree");
  WAYSTONE_CHECK(!tensor.values.empty() && tensor.values.size() <= limits.max_elements,
                 "elements within the limit");
  for (const float value : tensor.values) WAYSTONE_CHECK(std::isfinite(value), "finite");
  return 0;
}
