// SPDX-License-Identifier: Apache-2.0
//
// waystone bench: how fast a model runs here, over engine x threads x precision x batch, and which is best.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "base/cpu.h"
#include "base/status.h"

namespace waystone {
namespace {

struct BenchFlags {
  ModelFlags models;
  std::string model;
  double seconds = 1;
  bool json = false;
};

// One cell of the grid; latency is that of a whole batch.
struct BenchCell {
  std::string engine;
  std::string precision;
  int threads = 1;
  int batch = 1;
  absl::Status status;
  double p50_ms = 0;
  double p99_ms = 0;
  double pictures_per_second = 0;
};

// Fills a tensor with values of a picture's range, from a fixed seed.
void FillInput(Tensor& input) {
  uint32_t state = 1;
  const auto next = [&state] {
    state = state * 1664525u + 1013904223u;
    return static_cast<uint8_t>(state >> 24);
  };
  if (input.type() == DataType::kFloat32) {
    for (float& value : input.As<float>()) value = static_cast<float>(next()) / 255.0F;
  } else if (input.type() == DataType::kFloat16) {
    for (uint16_t& value : input.As<uint16_t>()) value = FloatToHalf(static_cast<float>(next()) / 255.0F);
  } else {
    for (uint8_t& value : input.As<uint8_t>()) value = next();
  }
}

absl::Status Measure(const ModelCatalog& catalog, const CatalogEntry& source, const EngineRegistry& engines,
                     const BenchFlags& flags, const Clock& clock, BenchCell& cell) {
  CatalogEntry entry = source;
  entry.spec.batch_sizes = {cell.batch};
  entry.spec.crop = {};  // the network alone, not what finds where it looks
  PictureModelOptions options = flags.models.options;
  options.engine = cell.engine;
  options.precision = cell.precision;
  options.threads = cell.threads;
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<PictureModel> model,
                            PictureModel::Load(catalog, entry, engines, options, clock));
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<PictureSeat> seat, model->CreateSeat());
  WAYSTONE_ASSIGN_OR_RETURN(
      Tensor input, Tensor::Create(model->spec().preprocess.type, model->pipeline().InputShape(cell.batch)));
  FillInput(input);
  constexpr int kWarmUpRuns = 3;
  for (int i = 0; i < kWarmUpRuns; ++i) WAYSTONE_RETURN_IF_ERROR(seat->RunTensor(input.view()).status());
  std::vector<double> times;
  const TimePoint begin = clock.Now();
  TimePoint last = begin;
  while (times.size() < 5 || MillisecondsBetween(begin, last) < flags.seconds * 1e3) {
    WAYSTONE_RETURN_IF_ERROR(seat->RunTensor(input.view()).status());
    const TimePoint now = clock.Now();
    times.push_back(MillisecondsBetween(last, now));
    last = now;
  }
  cell.pictures_per_second =
      1e3 * cell.batch * static_cast<double>(times.size()) / MillisecondsBetween(begin, last);
  std::sort(times.begin(), times.end());
  cell.p50_ms = times[times.size() / 2];
  cell.p99_ms = times[std::min(times.size() - 1, times.size() * 99 / 100)];
  return absl::OkStatus();
}

// The cells to measure: what the devices say they run.
std::vector<BenchCell> Grid(const EngineRegistry& engines, const BenchFlags& flags, const ModelSpec& spec) {
  std::vector<int> thread_counts = {1};
  if (AvailableCpus() > 1) thread_counts.push_back(AvailableCpus());
  std::vector<int> batches = spec.batch_sizes;
  if (batches.empty() || batches.front() != 1) batches.insert(batches.begin(), 1);
  const PictureModelOptions& wanted = flags.models.options;
  const std::string device_name = wanted.device.empty() ? "cpu" : wanted.device;
  std::vector<BenchCell> cells;
  for (const Engine* engine : EnginesFor(engines, spec)) {
    if (!wanted.engine.empty() && wanted.engine != "auto" && wanted.engine != engine->info().name) continue;
    for (const DeviceInfo& device : engine->info().devices) {
      if (device.name != device_name || !device.available) continue;
      for (const std::string& precision : device.precisions) {
        if (!wanted.precision.empty() && wanted.precision != precision) continue;
        for (const int threads : thread_counts) {
          for (const int batch : batches) {
            cells.push_back({engine->info().name, precision, threads, batch, absl::OkStatus(), 0, 0, 0});
          }
        }
      }
    }
  }
  return cells;
}

void Print(const std::vector<BenchCell>& cells, const std::string& model, bool json) {
  const BenchCell* fastest = nullptr;  // for one picture
  const BenchCell* most = nullptr;     // per second and thread
  for (const BenchCell& cell : cells) {
    if (!cell.status.ok()) continue;
    if (cell.batch == 1 && (fastest == nullptr || cell.p50_ms < fastest->p50_ms)) fastest = &cell;
    if (most == nullptr ||
        cell.pictures_per_second / cell.threads > most->pictures_per_second / most->threads) {
      most = &cell;
    }
  }
  const auto mark = [&](const BenchCell& cell) {
    std::string text;
    if (&cell == fastest) text = "lowest latency";
    if (&cell == most) absl::StrAppend(&text, text.empty() ? "" : ", ", "most per thread");
    return text;
  };
  std::vector<std::vector<std::string>> rows = {
      {"ENGINE", "PRECISION", "THREADS", "BATCH", "P50 MS", "P99 MS", "PICTURES/S", "BEST"}};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const BenchCell& cell : cells) {
    nlohmann::ordered_json item = {{"engine", cell.engine},
                                   {"precision", cell.precision},
                                   {"threads", cell.threads},
                                   {"batch", cell.batch}};
    if (!cell.status.ok()) {
      rows.push_back({cell.engine, cell.precision, absl::StrCat(cell.threads), absl::StrCat(cell.batch), "-",
                      "-", "-", std::string(cell.status.message())});
      item["error"] = cell.status.message();
    } else {
      rows.push_back({cell.engine, cell.precision, absl::StrCat(cell.threads), absl::StrCat(cell.batch),
                      absl::StrFormat("%.3f", cell.p50_ms), absl::StrFormat("%.3f", cell.p99_ms),
                      absl::StrFormat("%.1f", cell.pictures_per_second), mark(cell)});
      item["p50_ms"] = cell.p50_ms;
      item["p99_ms"] = cell.p99_ms;
      item["pictures_per_second"] = cell.pictures_per_second;
      item["best"] = mark(cell);
    }
    list.push_back(std::move(item));
  }
  if (json) {
    const nlohmann::ordered_json document = {{"model", model}, {"cells", list}};
    std::printf("%s\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else {
    std::printf("%s", FormatTable(rows).c_str());
  }
}

absl::Status Bench(const BenchFlags& flags) {
  WAYSTONE_ASSIGN_OR_RETURN(const ModelCatalog catalog, OpenCatalog(flags.models));
  WAYSTONE_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog.Find(flags.model));
  WAYSTONE_RETURN_IF_ERROR(entry.status);
  const EngineRegistry engines = OpenEngines(flags.models);
  std::vector<BenchCell> cells = Grid(engines, flags, entry.spec);
  if (cells.empty()) {
    return absl::FailedPreconditionError(
        "no engine here fits --engine, --device and --precision; see: waystone engines");
  }
  const SteadyClock clock;
  bool any = false;
  for (BenchCell& cell : cells) {
    std::fprintf(stderr, "measuring %s %s, %d thread(s), batch %d\n", cell.engine.c_str(),
                 cell.precision.c_str(), cell.threads, cell.batch);
    cell.status = Measure(catalog, entry, engines, flags, clock, cell);
    any = any || cell.status.ok();
  }
  Print(cells, entry.name, flags.json);
  if (!any) return Annotate(cells.front().status, "nothing could be measured");
  return absl::OkStatus();
}

}  // namespace

void AddBench(CLI::App& app, RunCommand& run) {
  CLI::App* command =
      app.add_subcommand("bench", "Measure a model over engines, threads, precisions and batches");
  auto flags = std::make_shared<BenchFlags>();
  command->add_option("model", flags->model, "Name of a model, or path of its folder")
      ->required()
      ->type_name("NAME");
  AddModelFlags(*command, flags->models);
  command->add_option("--seconds", flags->seconds, "Time for each cell")
      ->type_name("S")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Print JSON");
  command->footer(
      "Measures the network alone, without decoding and preprocessing, one run after another; batches are\n"
      "those of model.yaml.");
  command->callback([&run, flags] {
    run = [flags] {
      const absl::Status status = Bench(*flags);
      return status.ok() ? 0 : Fail(status);
    };
  });
}

}  // namespace waystone
