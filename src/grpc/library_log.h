// SPDX-License-Identifier: Apache-2.0
//
// gRPC's own log goes to ours, at level debug: clients can cause its lines at will, and what an operator must
// know we say ourselves. Process-wide, as gRPC's log is; thread-safe, and calling it again changes nothing.
#pragma once

namespace waystone {

void RouteGrpcLog();

}  // namespace waystone
