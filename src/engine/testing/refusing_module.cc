// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "engine/module.h"

namespace waystone {
namespace {

absl::StatusOr<std::unique_ptr<Engine>> Create(const std::string& /*folder*/) {
  return absl::FailedPreconditionError("libsecond.so.3: not on this machine");
}

}  // namespace
}  // namespace waystone

WAYSTONE_ENGINE_MODULE(&waystone::Create)
