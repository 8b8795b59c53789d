// SPDX-License-Identifier: Apache-2.0
//
// waystone match: which places of one picture are in another.
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "base/file.h"
#include "base/status.h"
#include "serving/feature_matcher.h"
#include "vision/draw/matches.h"
#include "vision/encode/encode.h"

namespace waystone {
namespace {

struct MatchFlags {
  ModelFlags models;
  std::string first;
  std::string second;
  std::string features = "xfeat-vga";
  std::string matcher = "lighterglue-l3";
  std::string annotate;
  float least_cosine = 0.82F;
  bool json = false;
};

// What one picture showed.
struct Seen {
  std::string source;
  PictureFeatures features;
  Image image;
};

absl::StatusOr<Seen> Look(PictureSeat& seat, const PictureModel& model, const std::string& source,
                          bool keep_image) {
  PrepareOptions options;
  options.keep_full_image = keep_image;
  WAYSTONE_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(source, options.limits.max_encoded_bytes));
  absl::StatusOr<PictureAnswer> answer = seat.Predict(bytes, options, model.spec().thresholds);
  if (!answer.ok()) return Annotate(answer.status(), source);
  Seen seen;
  seen.source = source;
  seen.features = {std::move(answer->prediction.features), answer->prediction.width,
                   answer->prediction.height};
  seen.image = std::move(answer->image);
  return seen;
}

absl::StatusOr<std::vector<FeatureMatch>> MatchSeen(const MatchFlags& flags, const ModelCatalog& catalog,
                                                    const EngineRegistry& engines, const Seen& a,
                                                    const Seen& b) {
  if (flags.matcher == "nearest")
    return MatchNearest(a.features.features, b.features.features, flags.least_cosine);
  WAYSTONE_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog.Find(flags.matcher));
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<FeatureMatcher> matcher,
                            FeatureMatcher::Load(entry, engines, flags.models.options));
  return matcher->Match(a.features, b.features);
}

std::vector<MatchedPlaces> PlacesOf(const std::vector<FeatureMatch>& matches, const Seen& a, const Seen& b) {
  std::vector<MatchedPlaces> places;
  for (const FeatureMatch& match : matches) {
    places.push_back({a.features.features.points[static_cast<size_t>(match.a)],
                      b.features.features.points[static_cast<size_t>(match.b)], match.score});
  }
  return places;
}

void PrintJson(const MatchFlags& flags, const Seen& a, const Seen& b,
               const std::vector<MatchedPlaces>& places) {
  const auto picture = [](const Seen& seen) {
    return nlohmann::ordered_json{{"source", seen.source},
                                  {"width", seen.features.width},
                                  {"height", seen.features.height},
                                  {"features", seen.features.features.points.size()}};
  };
  nlohmann::ordered_json matches = nlohmann::ordered_json::array();
  for (const MatchedPlaces& place : places) {
    matches.push_back({{"a", {place.a.x, place.a.y}}, {"b", {place.b.x, place.b.y}}, {"score", place.score}});
  }
  const nlohmann::ordered_json document = {{"a", picture(a)},
                                           {"b", picture(b)},
                                           {"features", flags.features},
                                           {"matcher", flags.matcher},
                                           {"matches", matches}};
  std::printf("%s\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

absl::Status Match(MatchFlags& flags) {
  WAYSTONE_ASSIGN_OR_RETURN(const ModelCatalog catalog, OpenCatalog(flags.models));
  WAYSTONE_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog.Find(flags.features));
  const EngineRegistry engines = OpenEngines(flags.models);
  const SteadyClock clock;
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<PictureModel> model,
                            PictureModel::Load(catalog, entry, engines, flags.models.options, clock));
  if (model->spec().task != Task::kFeatures) {
    return absl::InvalidArgumentError(
        absl::StrCat("--features ", flags.features, " is a model of task ", Name(model->spec().task)));
  }
  WAYSTONE_ASSIGN_OR_RETURN(const std::unique_ptr<PictureSeat> seat, model->CreateSeat());
  const bool draw = !flags.annotate.empty();
  WAYSTONE_ASSIGN_OR_RETURN(const Seen a, Look(*seat, *model, flags.first, draw));
  WAYSTONE_ASSIGN_OR_RETURN(const Seen b, Look(*seat, *model, flags.second, draw));
  WAYSTONE_ASSIGN_OR_RETURN(const std::vector<FeatureMatch> matches,
                            MatchSeen(flags, catalog, engines, a, b));
  const std::vector<MatchedPlaces> places = PlacesOf(matches, a, b);
  if (draw) {
    WAYSTONE_ASSIGN_OR_RETURN(const Image both, DrawMatches(a.image.view(), b.image.view(), places));
    WAYSTONE_ASSIGN_OR_RETURN(const std::string encoded, EncodePicture(both.view(), EncodedFormat::kJpeg));
    WAYSTONE_RETURN_IF_ERROR(WriteFileAtomically(flags.annotate, encoded));
  }
  if (flags.json) {
    PrintJson(flags, a, b, places);
  } else {
    std::printf("%zu of %zu and %zu features match\n", places.size(), a.features.features.points.size(),
                b.features.features.points.size());
    if (draw) std::printf("annotated: %s\n", flags.annotate.c_str());
  }
  return absl::OkStatus();
}

}  // namespace

void AddMatch(CLI::App& app, RunCommand& run) {
  CLI::App* command = app.add_subcommand("match", "Say which places of one picture are in another");
  auto flags = std::make_shared<MatchFlags>();
  command->add_option("first", flags->first, "A picture")->required()->type_name("PHOTO");
  command->add_option("second", flags->second, "Another picture")->required()->type_name("PHOTO");
  command->add_option("--features", flags->features, "Model of task features")
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--matcher", flags->matcher,
                   "Model of task match, or nearest: each other's nearest descriptors")
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--least-cosine", flags->least_cosine,
                   "With --matcher nearest: least similarity of a pair")
      ->type_name("C")
      ->check(CLI::Range(-1.0, 1.0))
      ->capture_default_str();
  AddModelFlags(*command, flags->models);
  command
      ->add_option("--annotate", flags->annotate,
                   "Write both pictures with the matches between them to this JPEG")
      ->type_name("FILE");
  command->add_flag("--json", flags->json, "Print JSON");
  command->footer("Example:\n  waystone match wall.jpg wall-from-the-left.jpg --annotate matches.jpg");
  command->callback([&run, flags] {
    run = [flags] {
      const absl::Status status = Match(*flags);
      return status.ok() ? 0 : Fail(status);
    };
  });
}

}  // namespace waystone
