// SPDX-License-Identifier: Apache-2.0
//
// waystone eval: accuracy on a labelled set, through the same path that serves.
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "base/cpu.h"
#include "base/file.h"
#include "base/ordered_work.h"
#include "base/status.h"
#include "evaluation/classification_metrics.h"
#include "evaluation/detection_metrics.h"

namespace waystone {
namespace {

constexpr size_t kMaxDataBytes = size_t{1} << 30;

struct EvalFlags {
  ModelFlags models;
  std::string model;
  std::string data;
  std::string images;
  int threads = 0;
  float score = 0.001F;
  float nms_iou = 0.65F;
  bool json = false;
};

// The name and value of each metric, in the order they are printed.
using Metrics = std::vector<std::pair<std::string, double>>;

// Where a picture of the data set is: under --images, else "images" beside the data file, else beside it.
std::string ImageFolder(const EvalFlags& flags) {
  namespace fs = std::filesystem;
  if (!flags.images.empty()) return flags.images;
  const fs::path beside = fs::path(flags.data).parent_path();
  std::error_code error;
  const fs::path images = beside / "images";
  if (fs::is_directory(images, error)) return images.string();
  return beside.empty() ? "." : beside.string();
}

// Runs every file through seats of `model` and hands each prediction on in order.
template <typename Take>
absl::Status PredictAll(const PictureModel& model, const std::vector<std::string>& files,
                        const std::string& folder, const ThresholdSpec& thresholds, size_t workers,
                        Take take) {
  std::vector<std::unique_ptr<PictureSeat>> seats(workers);
  for (auto& seat : seats) {
    WAYSTONE_ASSIGN_OR_RETURN(seat, model.CreateSeat());
  }
  absl::Status first_error;
  OrderedWork<absl::StatusOr<PictureAnswer>>::Run(
      files.size(), workers, 4 * workers,
      [&](size_t job, size_t worker) -> absl::StatusOr<PictureAnswer> {
        const PrepareOptions options;
        absl::StatusOr<std::string> bytes =
            ReadFile(folder + "/" + files[job], options.limits.max_encoded_bytes);
        if (!bytes.ok()) return bytes.status();
        return seats[worker]->Predict(*bytes, options, thresholds);
      },
      [&](size_t job, absl::StatusOr<PictureAnswer> answer) {
        if (!answer.ok()) {
          // A picture left out would change the score without a sign, so one failure ends the run.
          first_error = Annotate(answer.status(), files[job]);
          return false;
        }
        take(job, answer->prediction);
        return true;
      });
  return first_error;
}

// The dataset's category of each class of the model, by name.
absl::StatusOr<std::vector<int64_t>> MapCategories(const ModelSpec& spec, const DetectionDataset& dataset) {
  std::map<std::string, int64_t> by_name;
  for (const auto& [id, name] : dataset.categories) by_name[name] = id;
  std::vector<int64_t> category(spec.names.labels.size(), -1);
  size_t known = 0;
  for (size_t i = 0; i < spec.names.labels.size(); ++i) {
    const auto found = by_name.find(spec.names.labels[i]);
    if (found == by_name.end()) continue;
    category[i] = found->second;
    ++known;
  }
  if (known == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("no label of ", spec.name, " is the name of a category of the data set"));
  }
  return category;
}

absl::StatusOr<Metrics> EvalDetector(const PictureModel& model, const EvalFlags& flags, size_t workers,
                                     const std::string& text, size_t& images) {
  WAYSTONE_ASSIGN_OR_RETURN(const DetectionDataset dataset, ParseCocoInstances(text));
  WAYSTONE_ASSIGN_OR_RETURN(const std::vector<int64_t> category, MapCategories(model.spec(), dataset));
  // As detectors are measured: nearly every box counts, the order decides.
  ThresholdSpec thresholds = model.spec().thresholds;
  thresholds.score = flags.score;
  thresholds.nms_iou = flags.nms_iou;
  thresholds.max_per_class = 100;
  thresholds.max_detections = 100 * static_cast<int>(std::max<size_t>(1, category.size()));
  thresholds.best_class_only = false;
  std::vector<std::string> files;
  for (const TruthImage& image : dataset.images) files.push_back(image.file);
  std::vector<std::vector<ScoredBox>> predictions(files.size());
  WAYSTONE_RETURN_IF_ERROR(PredictAll(
      model, files, ImageFolder(flags), thresholds, workers, [&](size_t job, const Prediction& prediction) {
        for (const Detection& found : prediction.detections) {
          const auto id = static_cast<size_t>(found.class_id);
          if (id < category.size() && category[id] >= 0) {
            predictions[job].push_back({category[id], found.score, found.box});
          }
        }
      }));
  images = files.size();
  const DetectionMetrics metrics = EvaluateDetections(dataset, predictions);
  return Metrics{{"AP", metrics.ap}, {"AP50", metrics.ap50}, {"AP75", metrics.ap75}};
}

absl::StatusOr<Metrics> EvalClassifier(const PictureModel& model, const EvalFlags& flags, size_t workers,
                                       const std::string& text, size_t& images) {
  WAYSTONE_ASSIGN_OR_RETURN(const std::vector<LabelledImage> labelled, ParseLabelsCsv(text));
  ThresholdSpec thresholds = model.spec().thresholds;
  thresholds.score = 0;
  thresholds.top_k = 5;
  std::vector<std::string> files;
  for (const LabelledImage& image : labelled) files.push_back(image.file);
  std::vector<std::vector<ClassScore>> predictions(files.size());
  WAYSTONE_RETURN_IF_ERROR(
      PredictAll(model, files, ImageFolder(flags), thresholds, workers,
                 [&](size_t job, const Prediction& prediction) { predictions[job] = prediction.classes; }));
  images = files.size();
  const ClassificationMetrics metrics = EvaluateClasses(labelled, predictions);
  return Metrics{{"top1", metrics.top1}, {"top5", metrics.top5}};
}

absl::Status Eval(EvalFlags& flags) {
  WAYSTONE_ASSIGN_OR_RETURN(const ModelCatalog catalog, OpenCatalog(flags.models));
  WAYSTONE_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog.Find(flags.model));
  WAYSTONE_ASSIGN_OR_RETURN(const std::string text, ReadFile(flags.data, kMaxDataBytes));
  const EngineRegistry engines = OpenEngines(flags.models);
  const size_t workers = static_cast<size_t>(flags.threads > 0 ? flags.threads : AvailableCpus());
  flags.models.options.threads = 1;
  flags.models.options.instances = static_cast<int>(workers);
  const SteadyClock clock;
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<PictureModel> model,
                            PictureModel::Load(catalog, entry, engines, flags.models.options, clock));
  const bool detector = model->spec().task == Task::kDetect;
  if (detector != absl::EndsWith(flags.data, ".json")) {
    return absl::InvalidArgumentError(
        absl::StrCat(model->name(), " is a ",
                     detector ? "detector: --data wants a COCO instances file (.json)"
                              : "classifier: --data wants a labels file (.csv)"));
  }
  size_t images = 0;
  absl::StatusOr<Metrics> metrics = detector ? EvalDetector(*model, flags, workers, text, images)
                                             : EvalClassifier(*model, flags, workers, text, images);
  if (!metrics.ok()) return Annotate(metrics.status(), flags.data);
  if (flags.json) {
    nlohmann::ordered_json values;
    for (const auto& [name, value] : *metrics) values[name] = value;
    const nlohmann::ordered_json document = {{"model", model->name()},
                                             {"engine", model->engine_name()},
                                             {"precision", model->model().precision()},
                                             {"images", images},
                                             {"metrics", values}};
    std::printf("%s\n", document.dump().c_str());
    return absl::OkStatus();
  }
  std::printf("%s on %s (%s), %zu pictures\n", model->name().c_str(), model->engine_name().c_str(),
              model->model().precision().c_str(), images);
  for (const auto& [name, value] : *metrics) std::printf("  %-5s %.4f\n", name.c_str(), value);
  return absl::OkStatus();
}

}  // namespace

void AddEval(CLI::App& app, RunCommand& run) {
  CLI::App* command = app.add_subcommand("eval", "Measure a model's accuracy on labelled pictures");
  auto flags = std::make_shared<EvalFlags>();
  command->add_option("model", flags->model, "Name of a model, or path of its folder")
      ->required()
      ->type_name("NAME");
  command
      ->add_option("--data", flags->data,
                   "COCO instances (.json) for detectors; file,class_index (.csv) for classifiers")
      ->required()
      ->type_name("FILE");
  command->add_option("--images", flags->images, "Folder of the pictures (default: images beside the data)")
      ->type_name("DIR");
  AddModelFlags(*command, flags->models);
  command->add_option("--threads", flags->threads, "Threads in all (default: the CPUs this process may use)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--score", flags->score,
                   "Detectors: leave out boxes that score less; not the model's own limit")
      ->type_name("SCORE")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      ->add_option("--nms-iou", flags->nms_iou,
                   "Detectors: of two boxes that overlap more, the better stays; not the model's own limit")
      ->type_name("IOU")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Print JSON");
  command->footer("AP, AP50 and AP75 as pycocotools computes them; top1 and top5 as shares.");
  command->callback([&run, flags] {
    run = [flags] {
      const absl::Status status = Eval(*flags);
      return status.ok() ? 0 : Fail(status);
    };
  });
}

}  // namespace waystone
