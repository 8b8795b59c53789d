// SPDX-License-Identifier: Apache-2.0
//
// waystone predict: what is in the pictures, on the terminal, as JSON, or drawn over copies of them.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/photo_list.h"
#include "base/cpu.h"
#include "base/file.h"
#include "base/log.h"
#include "base/ordered_work.h"
#include "base/status.h"
#include "pipeline/prediction_json.h"
#include "vision/draw/draw.h"
#include "vision/encode/encode.h"

namespace waystone {
namespace {

constexpr const char* kDemoModel = "ssdlite-mobilenet-v2-coco";

struct PredictFlags {
  ModelFlags models;
  std::vector<std::string> photos;
  std::string model = kDemoModel;
  std::string annotate;
  bool json = false;
  bool jsonl = false;
  bool table = false;
  bool timing = false;
  bool partial = false;
  int threads = 0;
  float score = -1;
};

// The outcome for one picture, made on a worker and printed in order.
struct PhotoResult {
  absl::Status status;
  Prediction prediction;
  std::string annotated;  // encoded picture, when asked for
};

// A seat and what goes with it, one a worker.
class PhotoWorker {
 public:
  PhotoWorker(std::unique_ptr<PictureSeat> seat, const PictureModel& model, const PredictFlags& flags,
              const Annotator* annotator)
      : seat_(std::move(seat)), model_(model), flags_(flags), annotator_(annotator) {}

  PhotoResult Look(const std::string& source) {
    PhotoResult result;
    result.prediction.source = source;
    absl::StatusOr<PictureAnswer> answer = Predict(source);
    if (!answer.ok()) {
      result.status = answer.status();
      return result;
    }
    result.prediction = std::move(answer->prediction);
    result.prediction.source = source;
    if (annotator_ != nullptr) {
      annotator_->Draw(result.prediction, model_.spec().labels, answer->image);
      absl::StatusOr<std::string> encoded = EncodePicture(answer->image.view(), EncodedFormat::kJpeg);
      result.status = encoded.status();
      if (encoded.ok()) result.annotated = *std::move(encoded);
    }
    return result;
  }

 private:
  absl::StatusOr<PictureAnswer> Predict(const std::string& source) {
    PrepareOptions options;
    options.keep_full_image = annotator_ != nullptr;
    options.allow_partial = flags_.partial;
    ThresholdSpec thresholds = model_.spec().thresholds;
    if (flags_.score >= 0) thresholds.score = flags_.score;
    const size_t limit = options.limits.max_encoded_bytes;
    absl::StatusOr<std::string> bytes = source == "-" ? ReadStandardInput(limit) : ReadFile(source, limit);
    if (!bytes.ok()) return bytes.status();
    return seat_->Predict(*bytes, options, thresholds);
  }

  std::unique_ptr<PictureSeat> seat_;
  const PictureModel& model_;
  const PredictFlags& flags_;
  const Annotator* annotator_;
};

void PrintTable(const Prediction& prediction, const std::vector<std::string>& labels, bool timing) {
  std::printf("%s (%d x %d), %s\n", prediction.source.c_str(), prediction.width, prediction.height,
              prediction.model.c_str());
  const auto label = [&labels](int id) {
    return id >= 0 && static_cast<size_t>(id) < labels.size() ? labels[static_cast<size_t>(id)]
                                                              : absl::StrCat(id);
  };
  std::vector<std::vector<std::string>> rows;
  if (prediction.task == Task::kDetect) {
    rows.push_back({"  SCORE", "LABEL", "X_MIN", "Y_MIN", "X_MAX", "Y_MAX"});
    for (const Detection& found : prediction.detections) {
      rows.push_back({absl::StrFormat("  %.3f", found.score), label(found.class_id),
                      absl::StrFormat("%.1f", found.box.x_min), absl::StrFormat("%.1f", found.box.y_min),
                      absl::StrFormat("%.1f", found.box.x_max), absl::StrFormat("%.1f", found.box.y_max)});
    }
  } else {
    rows.push_back({"  SCORE", "LABEL"});
    for (const ClassScore& found : prediction.classes) {
      rows.push_back({absl::StrFormat("  %.3f", found.score), label(found.class_id)});
    }
  }
  std::printf("%s", rows.size() == 1 ? "  nothing found above the threshold\n" : FormatTable(rows).c_str());
  if (timing) {
    const StageTimes& times = prediction.times;
    std::printf("  decode %.2f ms, preprocess %.2f ms, infer %.2f ms, postprocess %.2f ms, total %.2f ms\n",
                times.decode_ms, times.preprocess_ms, times.infer_ms, times.postprocess_ms, times.total_ms);
  }
}

std::string Indented(const std::string& json) { return nlohmann::ordered_json::parse(json).dump(2); }

// Prints one result and writes its annotated picture; the status of what went wrong.
absl::Status Report(const PhotoResult& result, const PictureModel& model, const PredictFlags& flags,
                    std::set<std::string>& taken) {
  absl::Status status = result.status;
  if (status.ok() && !flags.annotate.empty()) {
    const std::string path = AnnotatedName(flags.annotate, result.prediction.source, taken);
    status = WriteFileAtomically(path, result.annotated);
    if (status.ok() && !flags.json && !flags.jsonl) std::printf("annotated: %s\n", path.c_str());
  }
  if (!status.ok()) {
    std::fprintf(stderr, "waystone: %s: %s\n", LogSafe(result.prediction.source).c_str(),
                 std::string(status.message()).c_str());
    if (flags.json || flags.jsonl) {
      const nlohmann::ordered_json line = {{"source", result.prediction.source}, {"error", status.message()}};
      std::printf("%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    }
    return status;
  }
  if (flags.json || flags.jsonl) {
    const std::string json = PredictionToJson(result.prediction, model.spec().labels);
    std::printf("%s\n", flags.jsonl ? json.c_str() : Indented(json).c_str());
  } else {
    PrintTable(result.prediction, model.spec().labels, flags.timing);
  }
  return absl::OkStatus();
}

void ShowProgress(size_t done, size_t all) {
  constexpr size_t kWidth = 40;
  const size_t filled = done * kWidth / all;
  std::fprintf(stderr, "\r[%s%s] %zu/%zu%s", std::string(filled, '#').c_str(),
               std::string(kWidth - filled, ' ').c_str(), done, all, done == all ? "\n" : "");
}

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return absl::PermissionDeniedError(absl::StrCat("making folder ", folder, ": ", error.message()));
  return absl::OkStatus();
}

absl::StatusOr<int> Predict(PredictFlags& flags) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::vector<std::string> photos, ListPhotos(flags.photos));
  WAYSTONE_ASSIGN_OR_RETURN(const ModelCatalog catalog, OpenCatalog(flags.models));
  WAYSTONE_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog.Find(flags.model));
  if (!flags.annotate.empty()) WAYSTONE_RETURN_IF_ERROR(MakeFolder(flags.annotate));

  // One picture gets all threads inside the engine; many pictures get one thread each, which carries more.
  const int threads = flags.threads > 0 ? flags.threads : AvailableCpus();
  const size_t workers = std::min(static_cast<size_t>(threads), photos.size());
  flags.models.options.threads = workers > 1 ? 1 : threads;
  flags.models.options.instances = static_cast<int>(workers);
  const SteadyClock clock;
  const EngineRegistry engines = OpenEngines(flags.models);
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<PictureModel> model,
                            PictureModel::Load(entry, engines, flags.models.options, clock));
  std::unique_ptr<Annotator> annotator;
  if (!flags.annotate.empty()) {
    WAYSTONE_ASSIGN_OR_RETURN(annotator, Annotator::Create());
  }
  std::vector<std::unique_ptr<PhotoWorker>> seats;
  for (size_t i = 0; i < workers; ++i) {
    WAYSTONE_ASSIGN_OR_RETURN(std::unique_ptr<PictureSeat> seat, model->CreateSeat());
    seats.push_back(std::make_unique<PhotoWorker>(std::move(seat), *model, flags, annotator.get()));
  }

  const bool progress = photos.size() > 1 && ::isatty(STDERR_FILENO) != 0;
  absl::Status first_error;
  std::set<std::string> taken;
  OrderedWork<PhotoResult>::Run(
      photos.size(), workers, 4 * workers,
      [&](size_t job, size_t worker) { return seats[worker]->Look(photos[job]); },
      [&](size_t job, const PhotoResult& result) {
        first_error.Update(Report(result, *model, flags, taken));
        if (progress) ShowProgress(job + 1, photos.size());
        return std::ferror(stdout) == 0;  // nobody reads any more, or the disk is full
      });
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return absl::UnavailableError("standard output cannot be written");
  }
  return ExitCode(first_error.code());
}

}  // namespace

void AddPredict(CLI::App& app, RunCommand& run) {
  CLI::App* command = app.add_subcommand("predict", "Say what is in pictures");
  auto flags = std::make_shared<PredictFlags>();
  command
      ->add_option("photos", flags->photos,
                   "Pictures (JPEG, PNG, WebP), folders of pictures, or - for standard input")
      ->required()
      ->type_name("PHOTO|DIR|-");
  command->add_option("--model", flags->model, "Name of a model, or path of its folder")
      ->type_name("NAME")
      ->capture_default_str();
  AddModelFlags(*command, flags->models);
  command->add_option("--threads", flags->threads, "Threads in all (default: the CPUs this process may use)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command->add_option("--score", flags->score, "Least score of an answer (default: what the model says)")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1.0));
  command
      ->add_option("--annotate", flags->annotate,
                   "Write copies with the answers drawn on them to this folder")
      ->type_name("DIR");
  CLI::Option* table = command->add_flag("--table", flags->table, "Print a table a picture (default)");
  CLI::Option* json = command->add_flag("--json", flags->json, "Print a JSON object a picture");
  CLI::Option* jsonl =
      command->add_flag("--jsonl", flags->jsonl, "Print a JSON object a picture, each on one line");
  table->excludes(json)->excludes(jsonl);
  json->excludes(jsonl);
  command->add_flag("--timing", flags->timing, "Add what each stage took to the table (JSON always has it)");
  command->add_flag("--partial", flags->partial,
                    "Look at the decoded part of truncated pictures instead of refusing them");
  command->footer("Example:\n  waystone predict street.jpg --model yolox-nano-coco --annotate out");
  command->callback([&run, flags] {
    run = [flags] {
      absl::StatusOr<int> code = Predict(*flags);
      return code.ok() ? *code : Fail(code.status());
    };
  });
}

}  // namespace waystone
