// SPDX-License-Identifier: Apache-2.0
#include "pipeline/object_pose.h"

#include <cmath>

#include <Eigen/Dense>

namespace waystone {
namespace {

using Axes = Eigen::Matrix3d;
using Parameters =
    Eigen::Matrix<double, 9, 1>;  // turn (3, added), translation (3), logarithm of the size (3)
using Residuals = Eigen::Matrix<double, 18, 1>;
using Points = Eigen::Matrix<double, 9, 2>;  // normalised: (u - cx) / fx, (v - cy) / fy

constexpr int kMaxSteps = 30;
constexpr double kLeastDepth = 1e-6;
constexpr double kLargestLogSize = 7;  // a box of a thousand times its distance is none

// Where point `i` stands in the box, in its sides: the centre, then the corners, the last axis fastest.
Eigen::Vector3d PlaceOf(int i) {
  if (i == 0) return Eigen::Vector3d::Zero();
  const int corner = i - 1;
  return {(corner & 4) != 0 ? 0.5 : -0.5, (corner & 2) != 0 ? 0.5 : -0.5, (corner & 1) != 0 ? 0.5 : -0.5};
}

struct Pose {
  Eigen::Matrix3d rotation;
  Eigen::Vector3d translation;
  Eigen::Vector3d size;
};

Eigen::Matrix3d Turn(const Eigen::Vector3d& by) {
  const double angle = by.norm();
  if (angle < 1e-12) return Eigen::Matrix3d::Identity();
  return Eigen::AngleAxisd(angle, by / angle).toRotationMatrix();
}

Pose Moved(const Pose& pose, const Parameters& by) {
  Pose moved;
  moved.rotation = Turn(by.head<3>()) * pose.rotation;
  moved.translation = pose.translation + by.segment<3>(3);
  moved.size = pose.size.array() * by.tail<3>().array().exp();
  return moved;
}

// False when a point is not in front of the camera.
bool ResidualsOf(const Pose& pose, const Points& points, Residuals& residuals) {
  for (int i = 0; i < 9; ++i) {
    const Eigen::Vector3d at = pose.rotation * pose.size.cwiseProduct(PlaceOf(i)) + pose.translation;
    if (!(at.z() > kLeastDepth)) return false;
    residuals.segment<2>(2 * i) = at.head<2>() / at.z() - points.row(i).transpose();
  }
  return residuals.allFinite();
}

// The centre and axes that fit the projections best, up to a common factor, which is 1 for the centre's
// depth.
bool SolveLinear(const Points& points, Eigen::Vector3d& center, Axes& axes) {
  Eigen::Matrix<double, 18, 12> system = Eigen::Matrix<double, 18, 12>::Zero();
  for (int i = 0; i < 9; ++i) {
    Eigen::Vector4d weights;
    weights << 1, PlaceOf(i);
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 2; ++k) {
        system(2 * i + k, 3 * j + k) = weights(j);
        system(2 * i + k, 3 * j + 2) = -weights(j) * points(i, k);
      }
    }
  }
  const Eigen::JacobiSVD<Eigen::Matrix<double, 18, 12>, Eigen::FullPivHouseholderQRPreconditioner> svd(
      system, Eigen::ComputeFullV);
  Eigen::Matrix<double, 12, 1> solution = svd.matrixV().col(11);
  if (!solution.allFinite() || std::abs(solution(2)) < kLeastDepth) return false;
  solution /= solution(2);
  center = solution.head<3>();
  for (int j = 0; j < 3; ++j) axes.col(j) = solution.segment<3>(3 * (j + 1));
  return true;
}

// Makes axes that need not be at right angles the nearest box.
bool MakePose(const Eigen::Vector3d& center, Axes axes, Pose& pose) {
  // Nearly flat views leave open which side is nearer; the labelled corners say which of the two is a box and
  // not its mirror image.
  if (axes.determinant() < 0) axes.row(2) *= -1;
  pose.size = axes.colwise().norm();
  if (!(pose.size.minCoeff() > 1e-9)) return false;
  for (int j = 0; j < 3; ++j) axes.col(j) /= pose.size(j);
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(axes, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d flip = Eigen::Matrix3d::Identity();
  flip(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
  pose.rotation = svd.matrixU() * flip * svd.matrixV().transpose();
  pose.translation = center;
  return pose.rotation.allFinite();
}

Eigen::Matrix<double, 18, 9> JacobianOf(const Pose& pose, const Points& points) {
  Eigen::Matrix<double, 18, 9> jacobian = Eigen::Matrix<double, 18, 9>::Zero();
  constexpr double kStep = 1e-6;
  for (int i = 0; i < 9; ++i) {
    Parameters by = Parameters::Zero();
    Residuals ahead;
    Residuals behind;
    by(i) = kStep;
    const bool first = ResidualsOf(Moved(pose, by), points, ahead);
    by(i) = -kStep;
    if (first && ResidualsOf(Moved(pose, by), points, behind))
      jacobian.col(i) = (ahead - behind) / (2 * kStep);
  }
  return jacobian;
}

void Refine(const Points& points, Pose& pose) {
  Residuals residuals;
  if (!ResidualsOf(pose, points, residuals)) return;
  double damping = 1e-3;
  for (int step = 0; step < kMaxSteps && damping < 1e6; ++step) {
    const Eigen::Matrix<double, 18, 9> jacobian = JacobianOf(pose, points);
    Eigen::Matrix<double, 9, 9> normal = jacobian.transpose() * jacobian;
    normal.diagonal().array() += damping * (normal.diagonal().array() + 1e-9);
    const Parameters by = -normal.ldlt().solve(jacobian.transpose() * residuals);
    Residuals next;
    const Pose moved = Moved(pose, by);
    if (by.allFinite() && moved.size.array().log().abs().maxCoeff() < kLargestLogSize &&
        ResidualsOf(moved, points, next) && next.squaredNorm() < residuals.squaredNorm()) {
      const bool done = residuals.squaredNorm() - next.squaredNorm() < 1e-14;
      pose = moved;
      residuals = next;
      damping /= 10;
      if (done) return;
    } else {
      damping *= 10;
    }
  }
}

ObjectPose ToAnswer(const Pose& pose) {
  const double distance = pose.translation.norm();
  ObjectPose answer;
  for (size_t i = 0; i < 3; ++i) {
    const Eigen::Index row = static_cast<Eigen::Index>(i);
    for (size_t j = 0; j < 3; ++j) {
      answer.rotation[i][j] = static_cast<float>(pose.rotation(row, static_cast<Eigen::Index>(j)));
    }
    answer.translation[i] = static_cast<float>(pose.translation(row) / distance);
    answer.size[i] = static_cast<float>(pose.size(row) / distance);
  }
  return answer;
}

}  // namespace

std::optional<ObjectPose> LiftBox(const std::array<Landmark, 9>& points, const CameraIntrinsics& camera) {
  if (!(camera.fx > 0) || !(camera.fy > 0)) return std::nullopt;
  Points normalised;
  for (size_t i = 0; i < points.size(); ++i) {
    const Eigen::Index row = static_cast<Eigen::Index>(i);
    normalised(row, 0) = (points[i].x - camera.cx) / camera.fx;
    normalised(row, 1) = (points[i].y - camera.cy) / camera.fy;
  }
  if (!normalised.allFinite()) return std::nullopt;
  Eigen::Vector3d center;
  Axes axes;
  Pose pose;
  if (!SolveLinear(normalised, center, axes) || !MakePose(center, axes, pose)) return std::nullopt;
  Refine(normalised, pose);
  Residuals residuals;
  if (!ResidualsOf(pose, normalised, residuals)) return std::nullopt;
  return ToAnswer(pose);
}

}  // namespace waystone
