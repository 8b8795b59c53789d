// SPDX-License-Identifier: Apache-2.0
#include "grpc/admission.h"

#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "types/refusal.h"

namespace waystone {
namespace {

TEST(AdmissionTest, RefusesBeforeItOpensAndAfterItCloses) {
  const auto admission = std::make_shared<Admission>(1, 10);
  EXPECT_EQ(RefusalReasonOf(admission->Enter(0).status()), "not_ready");
  admission->Open();
  EXPECT_TRUE(admission->open());
  EXPECT_TRUE(admission->Enter(0).ok());
  admission->Close();
  EXPECT_EQ(RefusalReasonOf(admission->Enter(0).status()), "draining");
  admission->Open();
  EXPECT_TRUE(admission->closed());
}

TEST(AdmissionTest, AdmitsUpToItsLimits) {
  const auto admission = std::make_shared<Admission>(2, 10);
  admission->Open();
  absl::StatusOr<Admission::Pass> first = admission->Enter(4);
  absl::StatusOr<Admission::Pass> second = admission->Enter(6);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(RefusalReasonOf(admission->Enter(0).status()), "queue_full");
  *second = Admission::Pass();
  EXPECT_EQ(RefusalReasonOf(admission->Enter(7).status()), "queue_full");
  EXPECT_TRUE(admission->Enter(6).ok());
  const Admission::Counts counts = admission->counts();
  EXPECT_EQ(counts.accepted, 3u);
  EXPECT_EQ(counts.refused, 2u);
  EXPECT_EQ(counts.inside, 1u);
  EXPECT_EQ(counts.bytes, 4u);
}

TEST(AdmissionTest, AwaitsTheLastPass) {
  const auto admission = std::make_shared<Admission>(2, 10);
  admission->Open();
  std::optional<Admission::Pass> pass = *admission->Enter(1);
  admission->Close();
  EXPECT_FALSE(admission->AwaitEmpty(Duration::zero()));
  EXPECT_FALSE(admission->AwaitEmpty(std::chrono::milliseconds(1)));
  std::thread leaving([&pass] { pass.reset(); });
  EXPECT_TRUE(admission->AwaitEmpty(Duration::max()));
  leaving.join();
  EXPECT_TRUE(admission->AwaitEmpty(Duration::zero()));
}

TEST(AdmissionTest, APassKeepsItsAdmission) {
  auto admission = std::make_shared<Admission>(1, 1);
  admission->Open();
  const std::weak_ptr<Admission> watched = admission;
  std::optional<Admission::Pass> pass = *admission->Enter(1);
  admission.reset();
  EXPECT_FALSE(watched.expired());
  pass.reset();
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace waystone
