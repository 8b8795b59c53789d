// SPDX-License-Identifier: Apache-2.0
//
// Protobuf messages as the inference protocol writes them in JSON, which differs from protobuf's own way:
// field names as in the contract, 64-bit integers as numbers, primitive fields also at their default, unset
// messages left out. Thread-safe (no state).
#pragma once

#include <string>

namespace google::protobuf {
class Message;
}

namespace waystone {

std::string ProtoToJson(const google::protobuf::Message& message);

}  // namespace waystone
