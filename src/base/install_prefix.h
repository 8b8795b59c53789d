// SPDX-License-Identifier: Apache-2.0
//
// Where this program is installed: what it brings along (engine modules, the web page) lies at fixed places
// below that folder, wherever it has been moved. Thread-safe (no state).
#pragma once

#include <string>

namespace waystone {

// The folder above the one that holds the running program: "/usr" for /usr/bin/waystone. "/usr" also when the
// system does not tell.
std::string InstallPrefix();

}  // namespace waystone
