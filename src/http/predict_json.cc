// SPDX-License-Identifier: Apache-2.0
#include "http/predict_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include <nlohmann/json.hpp>

#include "base/status.h"
#include "pipeline/prediction_json.h"

namespace waystone {
namespace {

using Json = nlohmann::ordered_json;

absl::Status FillPicture(const NestedTensor& nested, PictureRequest& request) {
  const int64_t height = nested.shape[0];
  const int64_t width = nested.shape[1];
  const PictureLimits limits;
  if (height < 1 || width < 1 || height > limits.max_side || width > limits.max_side) {
    return absl::OutOfRangeError(absl::StrCat("a picture of ", width, " x ", height,
                                              " pixels; each side must be 1 to ", limits.max_side));
  }
  Image image(static_cast<int>(width), static_cast<int>(height));
  for (size_t i = 0; i < nested.values.size(); ++i) {
    const float value = nested.values[i];
    if (!(value >= 0 && value <= 255)) {
      return absl::InvalidArgumentError(absl::StrCat("pixel value ", value, " is outside 0..255"));
    }
    image.pixels[i] = static_cast<uint8_t>(std::lround(value));
  }
  request.input = std::move(image);
  return absl::OkStatus();
}

// Value `from` as an integer of type T, refused when it is none or does not fit.
template <typename T>
absl::Status StoreIntegers(const std::vector<float>& from, std::span<T> to) {
  for (size_t i = 0; i < from.size(); ++i) {
    const double value = from[i];
    if (value != std::floor(value) || value < static_cast<double>(std::numeric_limits<T>::min()) ||
        value > static_cast<double>(std::numeric_limits<T>::max())) {
      return absl::InvalidArgumentError(absl::StrCat("value ", value, " is not one of the input's type"));
    }
    to[i] = static_cast<T>(value);
  }
  return absl::OkStatus();
}

absl::Status FillTensor(const NestedTensor& nested, const PictureModel& model, PictureRequest& request) {
  const TensorSignature& input = model.model().signature().inputs.front();
  // The size of a picture is fixed by the preprocessing, also where the network leaves it open.
  const Shape expected = model.pipeline().InputShape(nested.shape[0]);
  if (nested.shape[0] < 1 || !(nested.shape == expected)) {
    return absl::InvalidArgumentError(absl::StrCat("input has the shape ", nested.shape.ToString(), ", ",
                                                   model.name(), " takes ",
                                                   model.pipeline().InputShape(kDynamicDim).ToString(),
                                                   " with -1 for the batch, or a picture [height,width,3]"));
  }
  WAYSTONE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(input.type, nested.shape));
  switch (input.type) {
    case DataType::kFloat32:
      std::copy(nested.values.begin(), nested.values.end(), tensor.As<float>().begin());
      break;
    case DataType::kFloat16:
      std::transform(nested.values.begin(), nested.values.end(), tensor.As<uint16_t>().begin(), FloatToHalf);
      break;
    case DataType::kUint8:
      WAYSTONE_RETURN_IF_ERROR(StoreIntegers(nested.values, tensor.As<uint8_t>()));
      break;
    case DataType::kInt8:
      WAYSTONE_RETURN_IF_ERROR(StoreIntegers(nested.values, tensor.As<int8_t>()));
      break;
    default:
      return absl::UnimplementedError(absl::StrCat("inputs of type ", absl::string_view(Name(input.type)),
                                                   " are not taken as nested lists"));
  }
  request.input = std::move(tensor);
  return absl::OkStatus();
}

// Element `index` of a tensor as a JSON number; what JSON has no number for is null.
Json ElementJson(const TensorView& tensor, size_t index) {
  const auto real = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  switch (tensor.type) {
    case DataType::kBool:
      return tensor.As<uint8_t>()[index] != 0;
    case DataType::kUint8:
      return tensor.As<uint8_t>()[index];
    case DataType::kUint16:
      return tensor.As<uint16_t>()[index];
    case DataType::kUint32:
      return tensor.As<uint32_t>()[index];
    case DataType::kUint64:
      return tensor.As<uint64_t>()[index];
    case DataType::kInt8:
      return tensor.As<int8_t>()[index];
    case DataType::kInt16:
      return tensor.As<int16_t>()[index];
    case DataType::kInt32:
      return tensor.As<int32_t>()[index];
    case DataType::kInt64:
      return tensor.As<int64_t>()[index];
    case DataType::kFloat16:
      return real(HalfToFloat(tensor.As<uint16_t>()[index]));
    case DataType::kBfloat16:
      return real(Bfloat16ToFloat(tensor.As<uint16_t>()[index]));
    case DataType::kFloat32:
      return real(tensor.As<float>()[index]);
    case DataType::kFloat64:
      return real(tensor.As<double>()[index]);
  }
  return nullptr;
}

Json NestedJson(const TensorView& tensor, size_t axis, size_t& next) {
  if (axis == tensor.shape.rank()) return ElementJson(tensor, next++);
  Json list = Json::array();
  for (int64_t i = 0; i < tensor.shape[axis]; ++i) list.push_back(NestedJson(tensor, axis + 1, next));
  return list;
}

Json OutputJson(RawOutput& output) {
  size_t next = 0;
  return NestedJson(output.tensor.view(), 0, next);
}

}  // namespace

absl::Status FillInput(PredictInput input, const PictureModel& model, PictureRequest& request) {
  if (auto* picture = std::get_if<std::string>(&input)) {
    request.input = std::move(*picture);
    return absl::OkStatus();
  }
  const NestedTensor& nested = std::get<NestedTensor>(input);
  if (nested.shape.rank() == 3 && nested.shape[2] == 3) return FillPicture(nested, request);
  if (nested.shape.rank() == 4) return FillTensor(nested, model, request);
  return absl::InvalidArgumentError(absl::StrCat(
      "input has the shape ", nested.shape.ToString(), "; it must be a picture [height,width,3] or a tensor ",
      model.pipeline().InputShape(kDynamicDim).ToString(), " with -1 for the batch"));
}

std::string PredictOutputJson(PictureResult& result, const AnswerNames& names) {
  Json document;
  if (result.outputs.empty()) {
    document["output"] = Json::parse(PredictionToJson(result.answer.prediction, names))["results"];
  } else if (result.outputs.size() == 1) {
    document["output"] = OutputJson(result.outputs.front());
  } else {
    for (RawOutput& output : result.outputs) document["output"][output.signature.name] = OutputJson(output);
  }
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace waystone
