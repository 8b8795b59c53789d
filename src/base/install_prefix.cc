// SPDX-License-Identifier: Apache-2.0
#include "base/install_prefix.h"

#include <filesystem>
#include <system_error>

namespace waystone {

std::string InstallPrefix() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return "/usr";
  return program.parent_path().parent_path().string();
}

}  // namespace waystone
