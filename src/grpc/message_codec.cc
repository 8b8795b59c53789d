// SPDX-License-Identifier: Apache-2.0
#include "grpc/message_codec.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/proto_buffer_writer.h>

namespace waystone {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// What one object of protobuf's takes besides its contents, with the allocator's own share and the room a
// repeated field keeps for growth; message_codec_test holds them against what protobuf says it uses.
constexpr uint64_t kMessageBytes = 256;
constexpr uint64_t kTextBytes = 64;
constexpr uint64_t kScalarBytes = 32;
constexpr int kMaxDepth = 16;  // the contracts reach 5

class Measure {
 public:
  Measure(CodedInputStream& in, uint64_t max_bytes) : in_(in), max_bytes_(max_bytes) {}

  // False where the wire is malformed or the limit is passed.
  bool Message(const Descriptor* type, int depth) {
    if (depth > kMaxDepth || !Add(kMessageBytes)) return false;
    while (const uint32_t tag = in_.ReadTag()) {
      if (!Field(type, tag, depth)) return false;
    }
    return in_.ConsumedEntireMessage();
  }
  uint64_t bytes() const { return bytes_; }
  bool over_limit() const { return bytes_ > max_bytes_; }

 private:
  bool Add(uint64_t bytes) {
    bytes_ += bytes;  // at most 2 GiB of wire times 256: no overflow
    return !over_limit();
  }

  bool Field(const Descriptor* type, uint32_t tag, int depth) {
    uint64_t ignored = 0;
    switch (WireFormatLite::GetTagWireType(tag)) {
      case WireFormatLite::WIRETYPE_VARINT:
        return in_.ReadVarint64(&ignored) && Add(kScalarBytes);
      case WireFormatLite::WIRETYPE_FIXED64:
        return in_.Skip(8) && Add(kScalarBytes);
      case WireFormatLite::WIRETYPE_FIXED32:
        return in_.Skip(4) && Add(kScalarBytes);
      case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
        return Delimited(type, WireFormatLite::GetTagFieldNumber(tag), depth);
      default:
        return false;  // groups: no contract of ours has them
    }
  }

  bool Delimited(const Descriptor* type, int number, int depth) {
    int length = 0;
    if (!in_.ReadVarintSizeAsInt(&length)) return false;
    const FieldDescriptor* field = type->FindFieldByNumber(number);
    if (field == nullptr || field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      return Add(kTextBytes + static_cast<uint64_t>(length)) && in_.Skip(length);
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      return Add(kScalarBytes + static_cast<uint64_t>(length) * PackedBytes(*field)) && in_.Skip(length);
    }
    const CodedInputStream::Limit outer = in_.PushLimit(length);
    const bool whole = Message(field->message_type(), depth + 1) && in_.BytesUntilLimit() == 0;
    in_.PopLimit(outer);
    return whole;
  }

  // Bytes in memory for one byte of a packed field, which doubles its room whenever it is full.
  static uint64_t PackedBytes(const FieldDescriptor& field) {
    switch (field.type()) {
      case FieldDescriptor::TYPE_BOOL:
      case FieldDescriptor::TYPE_FLOAT:
      case FieldDescriptor::TYPE_DOUBLE:
      case FieldDescriptor::TYPE_FIXED32:
      case FieldDescriptor::TYPE_FIXED64:
      case FieldDescriptor::TYPE_SFIXED32:
      case FieldDescriptor::TYPE_SFIXED64:
        return 2;
      case FieldDescriptor::TYPE_INT64:
      case FieldDescriptor::TYPE_UINT64:
      case FieldDescriptor::TYPE_SINT64:
        return 16;
      default:
        return 8;
    }
  }

  CodedInputStream& in_;
  const uint64_t max_bytes_;
  uint64_t bytes_ = 0;
};

absl::Status Malformed(const Descriptor& type) {
  return absl::InvalidArgumentError(absl::StrCat("what was sent is no ", type.name(), " message"));
}

}  // namespace

absl::StatusOr<uint64_t> ParsedBytes(google::protobuf::io::ZeroCopyInputStream& wire, const Descriptor& type,
                                     uint64_t max_bytes) {
  CodedInputStream in(&wire);
  Measure measure(in, max_bytes);
  if (measure.Message(&type, 0)) return measure.bytes();
  if (!measure.over_limit()) return Malformed(type);
  return absl::ResourceExhaustedError(absl::StrCat("a ", type.name(),
                                                   " message that takes more than the limit of ", max_bytes,
                                                   " bytes once it is parsed"));
}

absl::StatusOr<uint64_t> ParsedBytes(grpc::ByteBuffer& wire, const Descriptor& type, uint64_t max_bytes) {
  grpc::ProtoBufferReader reader(&wire);
  if (!reader.status().ok()) return Malformed(type);
  return ParsedBytes(reader, type, max_bytes);
}

absl::Status ParseMeasured(grpc::ByteBuffer& wire, google::protobuf::Message& message) {
  const grpc::Status parsed =
      grpc::GenericDeserialize<grpc::ProtoBufferReader, google::protobuf::Message>(&wire, &message);
  // Left to fail: text that is not UTF-8.
  return parsed.ok() ? absl::OkStatus() : Malformed(*message.GetDescriptor());
}

absl::Status ParseMessage(grpc::ByteBuffer& wire, google::protobuf::Message& message, uint64_t max_bytes) {
  const absl::StatusOr<uint64_t> bytes = ParsedBytes(wire, *message.GetDescriptor(), max_bytes);
  return bytes.ok() ? ParseMeasured(wire, message) : bytes.status();
}

absl::Status SerializeMessage(const google::protobuf::Message& message, grpc::ByteBuffer& wire) {
  const size_t bytes = message.ByteSizeLong();
  if (bytes > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return absl::OutOfRangeError(absl::StrCat("the answer takes ", bytes, " bytes, gRPC carries at most ",
                                              std::numeric_limits<int32_t>::max()));
  }
  bool own_buffer = false;
  const grpc::Status serialized =
      grpc::GenericSerialize<grpc::ProtoBufferWriter, google::protobuf::Message>(message, &wire, &own_buffer);
  if (serialized.ok()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("a ", message.GetDescriptor()->name(), " could not be serialised"));
}

}  // namespace waystone
