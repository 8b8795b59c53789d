// SPDX-License-Identifier: Apache-2.0
#include "serving/model_config.h"

namespace waystone {
namespace {

inference::DataType WireType(DataType type) {
  switch (type) {
    case DataType::kBool:
      return inference::TYPE_BOOL;
    case DataType::kUint8:
      return inference::TYPE_UINT8;
    case DataType::kUint16:
      return inference::TYPE_UINT16;
    case DataType::kUint32:
      return inference::TYPE_UINT32;
    case DataType::kUint64:
      return inference::TYPE_UINT64;
    case DataType::kInt8:
      return inference::TYPE_INT8;
    case DataType::kInt16:
      return inference::TYPE_INT16;
    case DataType::kInt32:
      return inference::TYPE_INT32;
    case DataType::kInt64:
      return inference::TYPE_INT64;
    case DataType::kFloat16:
      return inference::TYPE_FP16;
    case DataType::kBfloat16:
      return inference::TYPE_BF16;
    case DataType::kFloat32:
      return inference::TYPE_FP32;
    case DataType::kFloat64:
      return inference::TYPE_FP64;
  }
  return inference::TYPE_INVALID;
}

// Name, type and dimensions; those of the configuration leave out the batch axis.
template <typename Described>
void Describe(const TensorSignature& tensor, bool batched, Described& described) {
  described.set_name(tensor.name);
  described.set_data_type(WireType(tensor.type));
  for (size_t axis = batched ? 1 : 0; axis < tensor.shape.rank(); ++axis)
    described.add_dims(tensor.shape[axis]);
}

}  // namespace

inference::ModelConfig DescribeConfig(const ServedModel& model, int instances) {
  inference::ModelConfig config;
  config.set_name(model.name);
  config.set_platform(model.platform);
  config.set_backend(model.platform.substr(0, model.platform.find('_')));
  config.mutable_version_policy()->mutable_latest()->set_num_versions(1);
  const bool batched = model.signature.max_batch > 0;
  config.set_max_batch_size(static_cast<int32_t>(model.signature.max_batch));
  for (const TensorSignature& tensor : model.signature.tensors.inputs) {
    Describe(tensor, batched, *config.add_input());
  }
  for (const TensorSignature& tensor : model.signature.tensors.outputs) {
    Describe(tensor, batched, *config.add_output());
  }
  inference::ModelInstanceGroup& group = *config.add_instance_group();
  group.set_name(model.name);
  group.set_count(instances);
  group.set_kind(inference::ModelInstanceGroup::KIND_CPU);
  if (model.signature.max_batch > 1) {
    inference::ModelDynamicBatching& batching = *config.mutable_dynamic_batching();
    for (const int64_t size : model.sizes.allowed) {
      if (size > 1) batching.add_preferred_batch_size(static_cast<int32_t>(size));
    }
  }
  return config;
}

}  // namespace waystone
