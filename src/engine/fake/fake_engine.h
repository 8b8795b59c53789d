// SPDX-License-Identifier: Apache-2.0
//
// An engine for tests: no network, but a signature, latency, faults and arithmetic that the test scripts.
// Every output element of row r is the sum of the elements of row r over all inputs, plus the element's
// position in the row, stored in the output's type; so an answer tells whose row it is, and a batch equals
// its rows alone.
//
// Thread-safe as the contract asks: engine and models from any thread; a Run on an instance that is already
// running is a broken invariant and aborts. The script's functions are called on the thread of the call and
// must be thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace waystone {

struct FakeScript {
  std::string name = "fake";
  std::vector<std::string> formats = {"onnx"};
  std::vector<DeviceInfo> devices = {{"cpu", true, "", {"f32"}}};
  // Axis 0 of the outputs follows axis 0 of the first input; all other dimensions of the outputs are fixed.
  ModelSignature signature = {{{"input", DataType::kFloat32, {kDynamicDim, 4}}},
                              {{"output", DataType::kFloat32, {kDynamicDim, 2}}}};
  // Each may be empty. on_load: the status of a load, given the bytes. on_run: called within a run, after its
  // inputs are checked; `run` counts from 1 over the whole engine. It makes latency (moves a FakeClock,
  // awaits a notification) and faults (a status that is not OK fails that run).
  std::function<absl::Status(std::string_view bytes)> on_load;
  std::function<absl::Status(int64_t run, int64_t rows)> on_run;
};

class FakeEngine final : public Engine {
 public:
  // What happened so far; lives with the engine.
  struct Counters {
    std::atomic<int64_t> loads = 0;      // that succeeded
    std::atomic<int64_t> runs = 0;       // begun, with inputs that fit
    std::atomic<int64_t> rows = 0;       // of runs that succeeded
    std::atomic<int64_t> models = 0;     // alive
    std::atomic<int64_t> instances = 0;  // alive
    std::atomic<int64_t> running = 0;    // inside Run now
    std::atomic<int64_t> most_running = 0;
  };

  explicit FakeEngine(FakeScript script = {});

  const EngineInfo& info() const override { return info_; }
  absl::StatusOr<std::unique_ptr<Model>> Load(std::string_view bytes, const std::string& format,
                                              const std::string& folder,
                                              const LoadOptions& options) const override;

  const Counters& counters() const { return counters_; }

 private:
  FakeScript script_;
  EngineInfo info_;
  mutable Counters counters_;
};

}  // namespace waystone
