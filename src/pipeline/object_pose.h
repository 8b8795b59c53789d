// SPDX-License-Identifier: Apache-2.0
//
// From the nine projected points of a box to where it is: the points are linear in the box's centre and its
// three axes, so their projections give a homogeneous linear system (the idea of EPnP, Lepetit et al. 2009,
// with free sizes as in Objectron's lifting); its solution is made a rotation and sizes, and refined by
// Levenberg-Marquardt on the distance in pixels. Thread-safe (no state).
#pragma once

#include <array>
#include <optional>

#include "types/camera.h"
#include "types/prediction.h"

namespace waystone {

// Nothing when the points or the camera are degenerate: not finite, all in one line, or behind the camera.
std::optional<ObjectPose> LiftBox(const std::array<Landmark, 9>& points, const CameraIntrinsics& camera);

}  // namespace waystone
