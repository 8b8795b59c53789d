// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"

#include "engine/module.h"

extern "C" int something_else();

namespace waystone {
namespace {

absl::StatusOr<std::unique_ptr<Engine>> Create(const std::string& /*folder*/) {
  return absl::InternalError(absl::StrCat("the library is there and says ", something_else()));
}

}  // namespace
}  // namespace waystone

WAYSTONE_ENGINE_MODULE(&waystone::Create)
