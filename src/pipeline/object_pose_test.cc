// SPDX-License-Identifier: Apache-2.0
#include "pipeline/object_pose.h"

#include <cmath>
#include <limits>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace waystone {
namespace {

constexpr CameraIntrinsics kCamera = {600, 620, 320, 240};

struct Truth {
  Eigen::Matrix3d rotation;
  Eigen::Vector3d translation;
  Eigen::Vector3d size;
};

std::array<Landmark, 9> Project(const Truth& truth, double noise, std::mt19937& random) {
  std::normal_distribution<double> error(0, 1);
  std::array<Landmark, 9> points;
  for (int i = 0; i < 9; ++i) {
    const int corner = i - 1;
    const Eigen::Vector3d place =
        i == 0 ? Eigen::Vector3d::Zero().eval()
               : Eigen::Vector3d((corner & 4) != 0 ? 0.5 : -0.5, (corner & 2) != 0 ? 0.5 : -0.5,
                                 (corner & 1) != 0 ? 0.5 : -0.5);
    const Eigen::Vector3d at = truth.rotation * truth.size.cwiseProduct(place) + truth.translation;
    points[static_cast<size_t>(i)] = {
        static_cast<float>(kCamera.fx * at.x() / at.z() + kCamera.cx + noise * error(random)),
        static_cast<float>(kCamera.fy * at.y() / at.z() + kCamera.cy + noise * error(random))};
  }
  return points;
}

Truth RandomTruth(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const Eigen::Vector3d axis = Eigen::Vector3d(unit(random), unit(random), unit(random)).normalized();
  Truth truth;
  truth.rotation = Eigen::AngleAxisd(3 * unit(random), axis).toRotationMatrix();
  truth.translation = {unit(random), unit(random), 3 + unit(random)};
  truth.size = {0.8 + 0.3 * unit(random), 0.8 + 0.3 * unit(random), 0.8 + 0.3 * unit(random)};
  return truth;
}

// Degrees between the pose and the truth.
double AngleError(const ObjectPose& pose, const Truth& truth) {
  Eigen::Matrix3d rotation;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      rotation(i, j) = pose.rotation[static_cast<size_t>(i)][static_cast<size_t>(j)];
  }
  const double cosine = ((rotation.transpose() * truth.rotation).trace() - 1) / 2;
  return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / M_PI;
}

TEST(LiftBoxTest, GetsBackThePoseOfExactPoints) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    const Truth truth = RandomTruth(random);
    const auto pose = LiftBox(Project(truth, 0, random), kCamera);
    ASSERT_TRUE(pose.has_value()) << i;
    EXPECT_LT(AngleError(*pose, truth), 0.05) << i;
    const double distance = truth.translation.norm();
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(pose->translation[static_cast<size_t>(j)], truth.translation(j) / distance, 1e-3) << i;
      EXPECT_NEAR(pose->size[static_cast<size_t>(j)], truth.size(j) / distance, 1e-3) << i;
    }
  }
}

TEST(LiftBoxTest, StaysNearThePoseWithAPixelOfNoise) {
  std::mt19937 random(2);
  int near = 0;
  for (int i = 0; i < 50; ++i) {
    const Truth truth = RandomTruth(random);
    const auto pose = LiftBox(Project(truth, 1, random), kCamera);
    ASSERT_TRUE(pose.has_value()) << i;
    near += AngleError(*pose, truth) < 5 ? 1 : 0;
  }
  EXPECT_GE(near, 48);
}

TEST(LiftBoxTest, RefusesWhatIsNoBoxInFrontOfACamera) {
  std::array<Landmark, 9> points = {};
  EXPECT_FALSE(LiftBox(points, kCamera).has_value()) << "all in one place";
  std::mt19937 random(3);
  points = Project(RandomTruth(random), 0, random);
  EXPECT_FALSE(LiftBox(points, {0, 600, 320, 240}).has_value());
  EXPECT_FALSE(LiftBox(points, {600, -1, 320, 240}).has_value());
  points[4].x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(LiftBox(points, kCamera).has_value());
}

}  // namespace
}  // namespace waystone
