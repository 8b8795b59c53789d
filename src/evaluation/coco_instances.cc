// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

#include "base/relative_path.h"
#include "base/status.h"
#include "evaluation/detection_metrics.h"

namespace waystone {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxBytes = size_t{1} << 30;
constexpr int64_t kMaxSide = 1'000'000;  // pixels of a picture
constexpr double kMaxCoordinate = 1e6;   // of a box, pixels
constexpr size_t kMaxNameBytes = 1024;

// One entry of a list of the file, whose fields are read with messages that say where.
class Entry {
 public:
  Entry(const Json& value, std::string where) : value_(value), where_(std::move(where)) {}

  absl::Status Wrong(const char* field, absl::string_view wanted) const {
    return absl::InvalidArgumentError(absl::StrCat(where_, ": ", field, " must be ", wanted));
  }
  const Json* Find(const char* field) const {
    if (!value_.is_object()) return nullptr;
    const auto at = value_.find(field);
    return at == value_.end() ? nullptr : &*at;
  }
  absl::StatusOr<int64_t> Integer(const char* field, int64_t least, int64_t most) const {
    const Json* number = Find(field);
    const auto wrong = [&] { return Wrong(field, absl::StrCat("a whole number ", least, " to ", most)); };
    if (number == nullptr || !number->is_number_integer()) return wrong();
    if (number->is_number_unsigned() && number->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      return wrong();
    const int64_t value = number->get<int64_t>();
    if (value < least || value > most) return wrong();
    return value;
  }
  absl::StatusOr<std::string> Text(const char* field) const {
    const Json* text = Find(field);
    if (text == nullptr || !text->is_string() || text->get_ref<const std::string&>().size() > kMaxNameBytes) {
      return Wrong(field, absl::StrCat("a text of up to ", kMaxNameBytes, " bytes"));
    }
    return text->get<std::string>();
  }

 private:
  const Json& value_;
  std::string where_;
};

// Calls `read` for every entry of a list.
template <typename Read>
absl::Status ForEach(const Json& root, const char* list, Read read) {
  const auto at = root.find(list);
  if (at == root.end() || !at->is_array()) {
    return absl::InvalidArgumentError(absl::StrCat("instances: \"", list, "\" must be a list"));
  }
  for (size_t i = 0; i < at->size(); ++i) {
    WAYSTONE_RETURN_IF_ERROR(read(Entry((*at)[i], absl::StrCat("instances: ", list, "[", i, "]"))));
  }
  return absl::OkStatus();
}

absl::StatusOr<TruthImage> ReadImage(const Entry& entry) {
  TruthImage image;
  WAYSTONE_ASSIGN_OR_RETURN(image.id, entry.Integer("id", INT64_MIN, INT64_MAX));
  WAYSTONE_ASSIGN_OR_RETURN(image.file, entry.Text("file_name"));
  if (!StaysInFolder(image.file)) return entry.Wrong("file_name", "a relative path without \"..\"");
  WAYSTONE_ASSIGN_OR_RETURN(const int64_t width, entry.Integer("width", 1, kMaxSide));
  WAYSTONE_ASSIGN_OR_RETURN(const int64_t height, entry.Integer("height", 1, kMaxSide));
  image.width = static_cast<int>(width);
  image.height = static_cast<int>(height);
  return image;
}

absl::StatusOr<TruthBox> ReadBox(const Entry& entry) {
  TruthBox truth;
  WAYSTONE_ASSIGN_OR_RETURN(truth.category_id, entry.Integer("category_id", INT64_MIN, INT64_MAX));
  const Json* box = entry.Find("bbox");
  const auto wrong = [&] { return entry.Wrong("bbox", "[x, y, width, height] in pixels, sizes 0 or more"); };
  if (box == nullptr || !box->is_array() || box->size() != 4) return wrong();
  double numbers[4];
  for (size_t i = 0; i < 4; ++i) {
    if (!(*box)[i].is_number()) return wrong();
    numbers[i] = (*box)[i].get<double>();
    if (!(std::abs(numbers[i]) <= kMaxCoordinate) || (i >= 2 && numbers[i] < 0)) return wrong();
  }
  truth.box = {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]),
               static_cast<float>(numbers[0] + numbers[2]), static_cast<float>(numbers[1] + numbers[3])};
  truth.area = numbers[2] * numbers[3];
  if (const Json* area = entry.Find("area"); area != nullptr) {
    if (!area->is_number() || !std::isfinite(area->get<double>())) return entry.Wrong("area", "a number");
    truth.area = area->get<double>();
  }
  if (const Json* crowd = entry.Find("iscrowd"); crowd != nullptr) {
    WAYSTONE_ASSIGN_OR_RETURN(const int64_t flag, entry.Integer("iscrowd", 0, 1));
    truth.crowd = flag == 1;
  }
  return truth;
}

absl::Status AddCategories(const Json& root, DetectionDataset& dataset) {
  return ForEach(root, "categories", [&](const Entry& entry) -> absl::Status {
    WAYSTONE_ASSIGN_OR_RETURN(const int64_t id, entry.Integer("id", INT64_MIN, INT64_MAX));
    WAYSTONE_ASSIGN_OR_RETURN(std::string name, entry.Text("name"));
    if (!dataset.categories.emplace(id, std::move(name)).second)
      return entry.Wrong("id", "the only one of its number");
    return absl::OkStatus();
  });
}

}  // namespace

absl::StatusOr<DetectionDataset> ParseCocoInstances(const std::string& json) {
  if (json.size() > kMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("instances: ", json.size(), " bytes; the limit is ", kMaxBytes));
  }
  // Masks are most of such a file and not needed, so they are dropped while parsing.
  const auto without_masks = [](int, Json::parse_event_t event, Json& value) {
    return event != Json::parse_event_t::key || value != "segmentation";
  };
  const Json root = Json::parse(json, without_masks, /*allow_exceptions=*/false);
  if (!root.is_object()) return absl::InvalidArgumentError("instances: not a JSON object");

  DetectionDataset dataset;
  WAYSTONE_RETURN_IF_ERROR(AddCategories(root, dataset));
  std::unordered_map<int64_t, size_t> position;  // of a picture by its id
  WAYSTONE_RETURN_IF_ERROR(ForEach(root, "images", [&](const Entry& entry) -> absl::Status {
    WAYSTONE_ASSIGN_OR_RETURN(TruthImage image, ReadImage(entry));
    if (!position.emplace(image.id, dataset.images.size()).second) {
      return entry.Wrong("id", "the only one of its number");
    }
    dataset.images.push_back(std::move(image));
    return absl::OkStatus();
  }));
  WAYSTONE_RETURN_IF_ERROR(ForEach(root, "annotations", [&](const Entry& entry) -> absl::Status {
    WAYSTONE_ASSIGN_OR_RETURN(const TruthBox truth, ReadBox(entry));
    WAYSTONE_ASSIGN_OR_RETURN(const int64_t image_id, entry.Integer("image_id", INT64_MIN, INT64_MAX));
    const auto image = position.find(image_id);
    if (image == position.end()) return entry.Wrong("image_id", "the id of one of the images");
    if (!dataset.categories.contains(truth.category_id)) {
      return entry.Wrong("category_id", "the id of one of the categories");
    }
    dataset.images[image->second].boxes.push_back(truth);
    return absl::OkStatus();
  }));
  return dataset;
}

}  // namespace waystone
