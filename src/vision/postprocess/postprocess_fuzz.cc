// SPDX-License-Identifier: Apache-2.0
//
// Decoders fed with what no network should give: any shape, any type, any bits in the values. Invariants: no
// crash, and what is answered is finite, ordered and within the limits asked for.
#include <cmath>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "vision/postprocess/decoder.h"
#include "vision/postprocess/nms.h"

namespace waystone {
namespace {

// Takes bytes off the front; zeros when there are no more.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t Byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  // Fills with what is left, over and over.
  void Fill(std::span<std::byte> target) const {
    for (size_t i = 0; size_ > 0 && i < target.size(); i += size_) {
      std::memcpy(target.data() + i, data_, std::min(size_, target.size() - i));
    }
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

ModelSpec MakeSpec(Input& input) {
  ModelSpec spec;
  spec.preprocess.width = 64;
  spec.preprocess.height = 32;
  const uint8_t flags = input.Byte();
  spec.decoder.kind = static_cast<DecoderKind>(input.Byte() % static_cast<int>(DecoderKind::kMatcher));
  spec.task = TaskOf(spec.decoder.kind);
  spec.decoder.strides = {16, 32};
  if (spec.decoder.kind == DecoderKind::kFastestDet) spec.decoder.strides = {16};
  spec.decoder.grids = {2, 1};
  spec.decoder.anchors_per_cell = {2, 1};
  spec.decoder.point_count = 2;
  spec.decoder.point_values = (flags & 1) != 0 ? 5 : 3;
  spec.decoder.reg_max = 3;
  spec.decoder.feature_sizes = {3, 1};
  spec.decoder.aspect_ratios = {1, 2};
  spec.decoder.softmax = (flags & 4) != 0;
  spec.decoder.sigmoid = (flags & 8) != 0;
  spec.decoder.background_classes = (flags >> 4) & 1;
  return spec;
}

// The shape a decoder wants, with one dimension off when the input says so.
std::vector<Shape> MakeShapes(DecoderKind kind, Input& input) {
  std::vector<Shape> shapes;
  switch (kind) {
    case DecoderKind::kClassification:
      shapes = {{2, 7}};
      break;
    case DecoderKind::kYolox:
      shapes = {{2, 10, 24}};
      break;
    case DecoderKind::kNanodet:
      shapes = {{2, 8, 19}, {2, 2, 19}, {2, 8, 16}, {2, 2, 16}};
      break;
    case DecoderKind::kSsd:
      shapes = {{2, 30, 4}, {2, 30, 19}};
      break;
    case DecoderKind::kFastestDet:
      shapes = {{2, 9, 2, 4}};
      break;
    case DecoderKind::kUltraFace:
      shapes = {{2, 7, 3}, {2, 7, 4}};
      break;
    case DecoderKind::kYunet:
      shapes = {{2, 8, 1}, {2, 2, 1}, {2, 8, 1}, {2, 2, 1}, {2, 8, 4}, {2, 2, 4}, {2, 8, 6}, {2, 2, 6}};
      break;
    case DecoderKind::kBlaze:
      shapes = {{2, 9, 8}, {2, 9, 1}};
      break;
    case DecoderKind::kLandmarks:
      shapes = {{2, 15}, {2, 1}, {2, 9}, {2, 1}};
      break;
    case DecoderKind::kSegmentation:
      shapes = {{2, 4, 5, 3}};
      break;
    case DecoderKind::kEmbedding:
      shapes = {{2, 1, 9}};
      break;
    case DecoderKind::kBox3d:
      shapes = {{2, 18}, {2, 1}};
      break;
    case DecoderKind::kXfeat:
      shapes = {{2, 3, 4, 8}, {2, 65, 4, 8}, {2, 1, 4, 8}};
      break;
    case DecoderKind::kMatcher:
      break;  // has no decoder
  }
  if (const uint8_t change = input.Byte(); change & 1) {
    Shape& shape = shapes[(change >> 1) % shapes.size()];
    shape[(change >> 3) % shape.rank()] = input.Byte() % 32;
  }
  return shapes;
}

void CheckAnswers(const Answers& answers, const ThresholdSpec& thresholds) {
  WAYSTONE_CHECK(answers.detections.size() <= static_cast<size_t>(thresholds.max_detections), "too many");
  WAYSTONE_CHECK(answers.classes.size() <= static_cast<size_t>(thresholds.top_k), "too many");
  float last = 1;
  for (const Detection& detection : answers.detections) {
    const Box& box = detection.box;
    WAYSTONE_CHECK(detection.score <= last && detection.class_id >= 0, "out of order");
    WAYSTONE_CHECK(std::isfinite(box.x_min + box.y_min) || std::isfinite(box.x_min), "not finite");
    WAYSTONE_CHECK(box.x_min <= box.x_max && box.y_min <= box.y_max, "inside out");
    last = detection.score;
  }
  for (const LandmarkSet& set : answers.landmarks) {
    WAYSTONE_CHECK(set.points.size() == 2 && set.score >= thresholds.score && set.score <= 1,
                   "not what was asked");
    for (const Landmark& point : set.points) WAYSTONE_CHECK(IsFinite(point), "not finite");
  }
  WAYSTONE_CHECK(answers.mask.values.size() ==
                     static_cast<size_t>(answers.mask.width) * static_cast<size_t>(answers.mask.height),
                 "a mask of another size");
  for (const Embedding& embedding : answers.embeddings) {
    for (const float value : embedding.values) WAYSTONE_CHECK(std::abs(value) <= 1.001F, "longer than 1");
  }
  WAYSTONE_CHECK(answers.features.descriptors.size() ==
                     answers.features.points.size() * static_cast<size_t>(answers.features.descriptor_size),
                 "points without descriptors");
  last = 1;
  for (const ClassScore& score : answers.classes) {
    WAYSTONE_CHECK(score.score <= last && score.score >= 0 && score.class_id >= 0, "out of order");
    last = score.score;
  }
}

}  // namespace
}  // namespace waystone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace waystone;
  Input input(data, size);
  const ModelSpec spec = MakeSpec(input);
  const absl::StatusOr<std::unique_ptr<Decoder>> decoder = MakeDecoder(spec);
  WAYSTONE_CHECK(decoder.ok(), "the spec is possible");
  constexpr DataType kTypes[] = {DataType::kFloat32, DataType::kFloat16, DataType::kBfloat16,
                                 DataType::kUint8,   DataType::kInt8,    DataType::kFloat64};
  const uint8_t choice = input.Byte();
  const std::vector<Shape> shapes = MakeShapes(spec.decoder.kind, input);
  ThresholdSpec thresholds;
  thresholds.score = static_cast<float>(input.Byte()) / 255;
  thresholds.best_class_only = (choice & 128) != 0;
  thresholds.clip_boxes = (choice & 64) != 0;
  std::vector<Tensor> tensors;
  std::vector<TensorView> views;
  for (const Shape& shape : shapes)
    tensors.push_back(Tensor::Create(kTypes[(choice & 63) % 6], shape).value());
  for (Tensor& tensor : tensors) {
    input.Fill(tensor.bytes());
    views.push_back(tensor.view());
  }
  const InputGeometry geometry{
      .scale_x = 0.5F, .scale_y = 0.25F, .offset_x = 3, .picture_width = 100, .picture_height = 90};
  if (const auto answers = (*decoder)->Decode(views, 1, geometry, thresholds); answers.ok()) {
    CheckAnswers(*answers, thresholds);
  }
  return 0;
}
