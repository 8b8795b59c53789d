// SPDX-License-Identifier: Apache-2.0
//
// The logs of gRPC and protobuf go to ours, at level debug: clients can cause their lines at will, and what
// an operator must know we say ourselves. Process-wide, as these logs are. Call it before threads use the
// libraries; calling it again changes nothing.
#pragma once

namespace waystone {

void RouteLibraryLogs();

}  // namespace waystone
