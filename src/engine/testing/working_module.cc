// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "engine/fake/fake_engine.h"
#include "engine/module.h"

namespace waystone {
namespace {

absl::StatusOr<std::unique_ptr<Engine>> Create(const std::string& folder) {
  FakeScript script;
  script.name = "openvino";
  script.devices[0].reason = folder;  // where the test reads what the registry passed
  return std::make_unique<FakeEngine>(std::move(script));
}

}  // namespace
}  // namespace waystone

WAYSTONE_ENGINE_MODULE(&waystone::Create)
