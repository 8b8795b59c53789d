// SPDX-License-Identifier: Apache-2.0
//
// The sections of model.yaml, one function each: keys, limits and what goes with what, as docs/model-yaml.md
// says. They report to `errors` and give defaults where a field is wrong. Thread-safe (no state).
#pragma once

#include <string_view>
#include <vector>

#include "pipeline/yaml_section.h"
#include "types/model_spec.h"

namespace waystone {

// `node` is null where the section is absent.
FetchSpec ReadFetch(const YamlNode* node, YamlErrors& errors);
// Fills spec.input and spec.preprocess.
void ReadInput(const YamlNode* node, YamlErrors& errors, ModelSpec& spec);
// Where a second network looks, and where in the next frame.
CropSpec ReadCrop(const YamlNode* node, YamlErrors& errors);
FollowSpec ReadFollow(const YamlNode* node, YamlErrors& errors);
DecoderSpec ReadDecoder(const YamlNode* node, YamlErrors& errors);
ThresholdSpec ReadThresholds(const YamlNode* node, Task task, YamlErrors& errors);
EngineSpec ReadEngine(const YamlNode* node, YamlErrors& errors);

// True for 1 to `max_bytes` characters a-z, 0-9 or of `others`, the first a letter or digit.
bool IsName(std::string_view text, std::string_view others, size_t max_bytes);
// True for 64 hex digits.
bool IsSha256(std::string_view text);
// True when each number is above the one before.
bool Rises(const std::vector<int>& numbers);

}  // namespace waystone
