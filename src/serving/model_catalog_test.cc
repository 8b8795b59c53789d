// SPDX-License-Identifier: Apache-2.0
#include "serving/model_catalog.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/file.h"

namespace waystone {
namespace {

constexpr char kHashOfAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

class ModelCatalogTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + "/" + path).parent_path());
    ASSERT_TRUE(WriteFileAtomically(root_ + "/" + path, content).ok());
  }
  static std::string Yaml(const std::string& name, const std::string& hash) {
    return "schema: 1\nname: " + name + "\ntask: classify\nfile: net.onnx\nsha256: " + hash +
           "\nsource: a shelf\ninput: {width: 8, height: 8}\ndecoder: {type: classification}\n";
  }
  const std::string root_ =
      testing::TempDir() + "catalog_test_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(ModelCatalogTest, FindsWeightsUnderAnotherModelDirectoryAndChecksTheirHash) {
  Write("descriptions/m/model.yaml", Yaml("m", kHashOfAbc));
  Write("weights/m/net.onnx", "abc");
  absl::StatusOr<ModelCatalog> catalog = ModelCatalog::Scan({root_ + "/descriptions", root_ + "/weights"});
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  absl::StatusOr<CatalogEntry> entry = catalog->Find("m");
  ASSERT_TRUE(entry.ok() && entry->status.ok()) << entry->status;
  EXPECT_EQ(ReadWeights(*entry).value(), "abc");
  Write("weights/m/net.onnx", "abd");
  EXPECT_EQ(ReadWeights(*entry).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ModelCatalogTest, OneBadModelDoesNotHideTheOthers) {
  Write("a/model.yaml", "schema: [");
  Write("b/model.yaml", Yaml("b", kHashOfAbc));
  Write("c/model.yaml", Yaml("other", kHashOfAbc));
  absl::StatusOr<ModelCatalog> catalog = ModelCatalog::Scan({root_});
  ASSERT_TRUE(catalog.ok());
  ASSERT_EQ(catalog->entries().size(), 3u);
  EXPECT_EQ(catalog->entries()[0].status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(catalog->entries()[1].status.code(), absl::StatusCode::kNotFound);  // no weights
  EXPECT_NE(catalog->entries()[1].status.message().find("a shelf"), absl::string_view::npos);
  EXPECT_EQ(catalog->entries()[2].status.code(), absl::StatusCode::kInvalidArgument);  // name differs
}

TEST_F(ModelCatalogTest, AModelCanBeNamedByThePathOfItsFolder) {
  Write("deep/m/model.yaml", Yaml("m", kHashOfAbc));
  Write("deep/m/net.onnx", "abc");
  absl::StatusOr<ModelCatalog> catalog = ModelCatalog::Scan({});
  ASSERT_TRUE(catalog.ok());
  EXPECT_TRUE(catalog->Find(root_ + "/deep/m")->status.ok());
  EXPECT_TRUE(catalog->Find(root_ + "/deep/m/")->status.ok());
  EXPECT_EQ(catalog->Find("../nowhere").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ModelCatalogTest, AMissingDirectoryIsAnErrorThatNamesIt) {
  const absl::Status status = ModelCatalog::Scan({root_ + "/none"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(status.message().find(root_ + "/none"), absl::string_view::npos);
}

}  // namespace
}  // namespace waystone
