// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx_external_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_data.h"
#include "support/tiny_onnx.h"

namespace waystone {
namespace {

using tiny_onnx::Bytes;
using tiny_onnx::Number;

constexpr char kSqueezeNet[] = "models/squeezenet1.1-imagenet/squeezenet1.1_fp32.onnx";
constexpr char kXFeat[] = "models/xfeat-vga/xfeat_vga.onnx";

const std::string kExternal = Number(14, 1);  // TensorProto.data_location EXTERNAL

bool Found(const std::string& bytes) {
  const absl::StatusOr<bool> found = HasExternalData(bytes);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.ok() && *found;
}

TEST(HasExternalDataTest, FindsItInAnInitializer) {
  EXPECT_TRUE(Found(TinyOnnxWithExternalWeights("weights.raw", 4)));
  EXPECT_FALSE(Found(TinyOnnx("Relu", OnnxType::kFloat, 4)));
}

TEST(HasExternalDataTest, FindsItWhereverATensorCanBe) {
  const std::string constant = Bytes(1, Bytes(5, Bytes(5, kExternal)));          // node.attribute.t
  const std::string list = Bytes(1, Bytes(5, Bytes(10, kExternal)));             // node.attribute.tensors
  const std::string sparse = Bytes(15, Bytes(1, kExternal));                     // sparse_initializer.values
  const std::string branch = Bytes(1, Bytes(5, Bytes(6, Bytes(5, kExternal))));  // in a subgraph
  for (const std::string& graph : {constant, list, sparse, branch}) EXPECT_TRUE(Found(Bytes(7, graph)));
  EXPECT_TRUE(Found(Bytes(25, Bytes(7, Bytes(5, Bytes(5, kExternal))))));  // in a function
  EXPECT_TRUE(Found(Bytes(25, Bytes(11, Bytes(5, kExternal)))));           // in a function's default
  EXPECT_TRUE(Found(Bytes(20, Bytes(2, Bytes(5, kExternal)))));            // in training_info
}

TEST(HasExternalDataTest, TakesAnExplicitDefaultForWhatItIs) {
  EXPECT_FALSE(Found(Bytes(7, Bytes(5, Number(14, 0)))));
}

TEST(HasExternalDataTest, ReadsNumbersThatAreWrittenLongerThanNeeded) {
  EXPECT_TRUE(Found(Bytes(7, Bytes(5, std::string("\xf0\x00\x01", 3)))));  // key 14 << 3 in two bytes
}

TEST(HasExternalDataTest, RefusesWhatIsNoProtobuf) {
  for (const std::string& bytes : {std::string("\x3a\x05", 2), std::string("\x00", 1), std::string("\x3b", 1),
                                   std::string(11, '\xff')}) {
    EXPECT_TRUE(absl::IsInvalidArgument(HasExternalData(bytes).status()));
  }
}

TEST(HasExternalDataTest, RefusesNestingWithoutEnd) {
  std::string graph;
  for (int i = 0; i < 40; ++i) graph = Bytes(1, Bytes(5, Bytes(6, graph)));
  EXPECT_TRUE(absl::IsInvalidArgument(HasExternalData(Bytes(7, graph)).status()));
}

TEST(HasExternalDataTest, FindsNoneInRealModels) {
  WAYSTONE_SKIP_WITHOUT_DATA(kSqueezeNet);
  WAYSTONE_SKIP_WITHOUT_DATA(kXFeat);
  EXPECT_FALSE(Found(ReadTestFile(TestDataPath(kSqueezeNet))));
  EXPECT_FALSE(Found(ReadTestFile(TestDataPath(kXFeat))));
}

}  // namespace
}  // namespace waystone
