// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>

#include "engine/module.h"

namespace waystone {
namespace {

absl::StatusOr<std::unique_ptr<Engine>> Create(const std::string& /*folder*/) {
  throw std::runtime_error("thrown while starting");
}

}  // namespace
}  // namespace waystone

WAYSTONE_ENGINE_MODULE(&waystone::Create)
