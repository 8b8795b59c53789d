// SPDX-License-Identifier: Apache-2.0
//
// waystone predict: what is in the pictures, on the terminal, as JSON, or drawn over copies of them.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/photo_list.h"
#include "apps/prediction_table.h"
#include "base/cpu.h"
#include "base/file.h"
#include "base/log.h"
#include "base/ordered_work.h"
#include "base/status.h"
#include "pipeline/answer_file.h"
#include "pipeline/prediction_json.h"
#include "types/camera.h"
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
  std::string annotate_format = "jpg";
  bool json = false;
  bool jsonl = false;
  bool table = false;
  bool timing = false;
  bool partial = false;
  int threads = 0;
  float score = -1;
  std::optional<CameraIntrinsics> camera;
  bool follow = false;
  std::string output;
  bool resume = false;
};

EncodedFormat FormatFor(const std::string& extension) {
  if (extension == "png") return EncodedFormat::kPng;
  return extension == "webp" ? EncodedFormat::kWebp : EncodedFormat::kJpeg;
}

// The outcome for one picture, made on a worker and printed in order.
struct PhotoResult {
  absl::Status status;
  Prediction prediction;
  std::string annotated;  // encoded picture, when asked for
  bool skipped = false;   // an earlier run answered it
};

// What a run came to.
struct Summary {
  size_t answered = 0;
  size_t failed = 0;
  size_t skipped = 0;
  size_t results = 0;
};

size_t CountResults(const Answers& answers) {
  return answers.detections.size() + answers.classes.size() + answers.landmarks.size() +
         answers.segments.size() + answers.embeddings.size() + answers.boxes3d.size() +
         answers.features.points.size();
}

void PrintSummary(const Summary& summary, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(summary.answered) / seconds : 0;
  std::fprintf(stderr, "%zu answered, %zu failed, %zu skipped; %zu results; %.1f s, %.1f pictures/s\n",
               summary.answered, summary.failed, summary.skipped, summary.results, seconds, rate);
}

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
      annotator_->Draw(result.prediction, model_.spec().names, answer->image);
      absl::StatusOr<std::string> encoded =
          EncodePicture(answer->image.view(), FormatFor(flags_.annotate_format));
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
    options.camera = flags_.camera;
    ThresholdSpec thresholds = model_.spec().thresholds;
    if (flags_.score >= 0) thresholds.score = flags_.score;
    const size_t limit = options.limits.max_encoded_bytes;
    absl::StatusOr<std::string> bytes = source == "-" ? ReadStandardInput(limit) : ReadFile(source, limit);
    if (!bytes.ok()) return bytes.status();
    return seat_->Predict(*bytes, options, thresholds, flags_.follow ? &follower_ : nullptr);
  }

  std::unique_ptr<PictureSeat> seat_;
  const PictureModel& model_;
  const PredictFlags& flags_;
  const Annotator* annotator_;
  CropFollower follower_;
};

std::string Indented(const std::string& json) { return nlohmann::ordered_json::parse(json).dump(2); }

// Prints one result, or adds it to `file`, and writes its annotated picture; the status of what went wrong.
absl::Status Report(const PhotoResult& result, const PictureModel& model, const PredictFlags& flags,
                    AnswerFile* file, std::set<std::string>& taken) {
  absl::Status status = result.status;
  if (status.ok() && !flags.annotate.empty()) {
    const std::string path =
        AnnotatedName(flags.annotate, result.prediction.source, flags.annotate_format, taken);
    status = WriteFileAtomically(path, result.annotated);
    if (status.ok() && !flags.json && !flags.jsonl) std::printf("annotated: %s\n", path.c_str());
  }
  if (!status.ok()) {
    std::fprintf(stderr, "waystone: %s: %s\n", LogSafe(result.prediction.source).c_str(),
                 std::string(status.message()).c_str());
    const nlohmann::ordered_json line = {{"source", result.prediction.source}, {"error", status.message()}};
    const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (file != nullptr) {
      WAYSTONE_RETURN_IF_ERROR(file->Append(text));
    } else if (flags.json || flags.jsonl) {
      std::printf("%s\n", text.c_str());
    }
    return status;
  }
  if (file != nullptr) return file->Append(PredictionToJson(result.prediction, model.spec().names));
  if (flags.json || flags.jsonl) {
    const std::string json = PredictionToJson(result.prediction, model.spec().names);
    std::printf("%s\n", flags.jsonl ? json.c_str() : Indented(json).c_str());
  } else {
    PrintPrediction(result.prediction, model.spec().names, flags.timing);
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

// Looks at all photos side by side and reports them in order; the status of the first that failed.
absl::Status AnswerAll(const std::vector<std::string>& photos,
                       const std::vector<std::unique_ptr<PhotoWorker>>& seats, const PictureModel& model,
                       const PredictFlags& flags, AnswerFile* file, const Clock& clock) {
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  const TimePoint begin = clock.Now();
  absl::Status first_error;
  std::set<std::string> taken;
  Summary summary;
  OrderedWork<PhotoResult>::Run(
      photos.size(), seats.size(), 4 * seats.size(),
      [&](size_t job, size_t worker) {
        if (file == nullptr || !file->Has(photos[job])) return seats[worker]->Look(photos[job]);
        PhotoResult skipped;
        skipped.skipped = true;
        return skipped;
      },
      [&](size_t job, const PhotoResult& result) {
        absl::Status status;
        if (!result.skipped) status = Report(result, model, flags, file, taken);
        summary.skipped += result.skipped ? 1 : 0;
        summary.answered += status.ok() && !result.skipped ? 1 : 0;
        summary.failed += status.ok() ? 0 : 1;
        summary.results += CountResults(result.prediction);
        first_error.Update(status);
        if (photos.size() > 1 && terminal) ShowProgress(job + 1, photos.size());
        // Nobody reads any more, or the disk is full.
        return std::ferror(stdout) == 0 &&
               !(file != nullptr && absl::IsResourceExhausted(status) && result.status.ok());
      });
  if (photos.size() > 1 && (terminal || file != nullptr)) {
    PrintSummary(summary, MillisecondsBetween(begin, clock.Now()) / 1e3);
  }
  return first_error;
}

absl::StatusOr<int> Predict(PredictFlags& flags) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::vector<std::string> photos, ListPhotos(flags.photos));
  WAYSTONE_ASSIGN_OR_RETURN(const ModelCatalog catalog, OpenCatalog(flags.models));
  WAYSTONE_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog.Find(flags.model));
  if (!flags.annotate.empty()) WAYSTONE_RETURN_IF_ERROR(MakeFolder(flags.annotate));

  // One picture gets all threads inside the engine; many pictures get one thread each, which carries more.
  const int threads = flags.threads > 0 ? flags.threads : AvailableCpus();
  // Frames follow each other, so one worker takes them all.
  const size_t workers = flags.follow ? 1 : std::min(static_cast<size_t>(threads), photos.size());
  flags.models.options.threads = workers > 1 ? 1 : threads;
  flags.models.options.instances = static_cast<int>(workers);
  const SteadyClock clock;
  const EngineRegistry engines = OpenEngines(flags.models);
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<PictureModel> model,
                            PictureModel::Load(catalog, entry, engines, flags.models.options, clock));
  std::unique_ptr<Annotator> annotator;
  if (!flags.annotate.empty()) {
    WAYSTONE_ASSIGN_OR_RETURN(annotator, Annotator::Create());
  }
  std::vector<std::unique_ptr<PhotoWorker>> seats;
  for (size_t i = 0; i < workers; ++i) {
    WAYSTONE_ASSIGN_OR_RETURN(std::unique_ptr<PictureSeat> seat, model->CreateSeat());
    seats.push_back(std::make_unique<PhotoWorker>(std::move(seat), *model, flags, annotator.get()));
  }

  std::unique_ptr<AnswerFile> file;
  if (!flags.output.empty()) {
    WAYSTONE_ASSIGN_OR_RETURN(file, AnswerFile::Open(flags.output, flags.resume));
  }
  const absl::Status first_error = AnswerAll(photos, seats, *model, flags, file.get(), clock);
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
  command->add_option("--annotate-format", flags->annotate_format, "jpg, png or webp")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"jpg", "png", "webp"}))
      ->capture_default_str();
  CLI::Option* table = command->add_flag("--table", flags->table, "Print a table a picture (default)");
  CLI::Option* json = command->add_flag("--json", flags->json, "Print a JSON object a picture");
  CLI::Option* jsonl =
      command->add_flag("--jsonl", flags->jsonl, "Print a JSON object a picture, each on one line");
  table->excludes(json)->excludes(jsonl);
  json->excludes(jsonl);
  CLI::Option* output = command
                            ->add_option("--output", flags->output,
                                         "Write a JSON object a picture, each on one line, to this file")
                            ->type_name("FILE");
  output->excludes(table)->excludes(json)->excludes(jsonl);
  command
      ->add_flag(
          "--resume", flags->resume,
          "Go on with the --output of an earlier run: what it answered is skipped, failures are tried again")
      ->needs(output);
  command->add_flag("--timing", flags->timing, "Add what each stage took to the table (JSON always has it)");
  command->add_flag("--partial", flags->partial,
                    "Look at the decoded part of truncated pictures instead of refusing them");
  command
      ->add_option_function<std::string>(
          "--camera",
          [flags](const std::string& text) {
            absl::StatusOr<CameraIntrinsics> camera = ParseCamera(text);
            if (!camera.ok()) throw CLI::ValidationError("--camera", std::string(camera.status().message()));
            flags->camera = *camera;
          },
          "The camera's fx,fy,cx,cy in pixels: gives boxes in space their pose")
      ->type_name("FX,FY,CX,CY");
  command->add_flag(
      "--follow", flags->follow,
      "The pictures are frames of one camera, in order: look first where things were in the last");
  command->footer("Example:\n  waystone predict street.jpg --model yolox-nano-coco --annotate out");
  command->callback([&run, flags] {
    run = [flags] {
      absl::StatusOr<int> code = Predict(*flags);
      return code.ok() ? *code : Fail(code.status());
    };
  });
}

}  // namespace waystone
