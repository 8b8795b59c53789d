// SPDX-License-Identifier: Apache-2.0
#include "types/camera.h"

#include "absl/strings/match.h"
#include <gtest/gtest.h>

namespace waystone {
namespace {

TEST(ParseCameraTest, ReadsFourNumbersWithOrWithoutSpaces) {
  const absl::StatusOr<CameraIntrinsics> camera = ParseCamera("500, 510.5,320,-1e6");
  ASSERT_TRUE(camera.ok()) << camera.status();
  EXPECT_EQ(camera->fx, 500);
  EXPECT_EQ(camera->fy, 510.5);
  EXPECT_EQ(camera->cx, 320);
  EXPECT_EQ(camera->cy, -1e6);
  EXPECT_TRUE(ParseCamera("1000000,1e-9,0,0").ok());
}

TEST(ParseCameraTest, RefusesWhatIsNoCameraAndSaysWhatOneIs) {
  for (const char* text : {"", "500", "500,500,320", "500,500,320,240,1", "500,500,320,", "a,b,c,d",
                           "0,500,1,1", "500,0,1,1", "-500,500,1,1", "500,500,nan,1", "nan,500,1,1",
                           "inf,500,1,1", "1000001,500,1,1", "500,500,1,-1000001", "500 500 320 240"}) {
    const absl::Status status = ParseCamera(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_TRUE(absl::StrContains(status.message(), "it must be fx,fy,cx,cy in pixels")) << status;
  }
}

}  // namespace
}  // namespace waystone
