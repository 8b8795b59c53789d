// SPDX-License-Identifier: Apache-2.0
//
// The protocol over REST from request to answer, on the real serving core over the fake engine.
#include "http/oip_api.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/mutex.h"
#include "engine/fake/fake_engine.h"
#include "http/compression.h"
#include "serving/serving_core.h"

namespace waystone {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Model "sum": IN [-1,2] FP32 to OUT [-1,2] FP32, the row's sum and that plus 1.
class OipApiTest : public testing::Test {
 protected:
  OipApiTest() {
    FakeScript script;
    script.signature = {{{"IN", DataType::kFloat32, {kDynamicDim, 2}}},
                        {{"OUT", DataType::kFloat32, {kDynamicDim, 2}}}};
    script.on_run = [this](int64_t, int64_t) { return fault_; };
    engine_ = std::make_unique<FakeEngine>(std::move(script));
    LoadOptions load;
    load.batch_sizes = {1, 2, 4};
    std::unique_ptr<Model> model = engine_->Load("network", "onnx", "", load).value();
    auto served = std::make_shared<ServedModel>();
    served->name = "sum";
    served->platform = "fake_onnx";
    served->signature = WireSignature(model->signature(), load.batch_sizes);
    served->sizes = SizesOf(served->signature, load.batch_sizes);
    served->counters = std::make_unique<ModelCounters>("sum", "1", metrics_);
    served->narrow = std::move(model);
    core_ = std::make_unique<ServingCore>(ServingOptions{}, metrics_, clock_);
    EXPECT_TRUE(core_->Add(std::move(served)).ok());
    OipOptions options;
    options.max_body_bytes = 100'000;
    api_ = std::make_unique<OipApi>(*core_, options);
  }

  using Headers = std::vector<std::pair<std::string, std::string>>;
  HttpResponse Ask(std::string method, std::string path, std::string body = "", Headers headers = {}) {
    HttpRequest request;
    request.method = std::move(method);
    request.path = std::move(path);
    request.body = std::move(body);
    request.headers = std::move(headers);
    request.arrived = clock_.Now();
    HttpResponse got;
    Notification done;
    api_->Handle(std::move(request), HttpResponder([&](HttpResponse response) {
                   got = std::move(response);
                   done.Notify();
                 }));
    done.WaitForNotification();
    return got;
  }
  static std::string Header(const HttpResponse& response, const std::string& name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }
  static std::string Floats(std::vector<float> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
  }
  static constexpr char kJson[] =
      R"({"id":"a1","inputs":[{"name":"IN","shape":[1,2],"datatype":"FP32","data":[1,2]}]})";

  MetricRegistry metrics_;
  SteadyClock clock_;
  absl::Status fault_;
  std::unique_ptr<FakeEngine> engine_;
  std::unique_ptr<ServingCore> core_;
  std::unique_ptr<OipApi> api_;
};

TEST_F(OipApiTest, AnswersJsonInJson) {
  const HttpResponse response = Ask("POST", "/v2/models/sum/infer", kJson);
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body,
            R"({"model_name":"sum","model_version":"1","id":"a1","outputs":[{"name":"OUT","datatype":"FP32",)"
            R"("shape":[1,2],"data":[3,4]}]})");
}

TEST_F(OipApiTest, AnswersBinaryInBinary) {
  const std::string request =
      R"({"parameters":{"binary_data_output":true},"inputs":[{"name":"IN","shape":[2,2],"datatype":"FP32",)"
      R"("parameters":{"binary_data_size":16}}]})";
  const HttpResponse response = Ask("POST", "/v2/models/sum/versions/1/infer", request + Floats({1, 2, 3, 4}),
                                    {{"inference-header-content-length", absl::StrCat(request.size())}});
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.content_type, "application/octet-stream");
  size_t json_bytes = 0;
  ASSERT_TRUE(absl::SimpleAtoi(Header(response, "Inference-Header-Content-Length"), &json_bytes));
  const json head = json::parse(response.body.substr(0, json_bytes));
  EXPECT_EQ(head["outputs"][0]["parameters"]["binary_data_size"], 16);
  EXPECT_FALSE(head["outputs"][0].contains("data"));
  EXPECT_EQ(response.body.substr(json_bytes), Floats({3, 4, 7, 8}));
}

TEST_F(OipApiTest, TheWishOfAnOutputGoesBeforeThatOfTheRequest) {
  const HttpResponse response = Ask(
      "POST", "/v2/models/sum/infer",
      R"({"parameters":{"binary_data_output":true},"inputs":[{"name":"IN","shape":[1,2],"datatype":"FP32","data":[1,2]}],)"
      R"("outputs":[{"name":"OUT","parameters":{"binary_data":false}}]})");
  EXPECT_THAT(response.body, HasSubstr(R"("data":[3,4])"));
}

TEST_F(OipApiTest, TakesTheBareTensorOfAModelWithOneInput) {
  const HttpResponse response =
      Ask("POST", "/v2/models/sum/infer", Floats({1, 2}), {{"inference-header-content-length", "0"}});
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.body.substr(response.body.size() - 8), Floats({3, 4}));
  EXPECT_EQ(Ask("POST", "/v2/models/sum/infer", "1234567", {{"inference-header-content-length", "0"}}).status,
            400);
}

TEST_F(OipApiTest, ReadsAndWritesCompressedBodies) {
  const HttpResponse response = Ask("POST", "/v2/models/sum/infer", Deflate(kJson, ContentCoding::kGzip),
                                    {{"content-encoding", "gzip"}});
  EXPECT_EQ(response.status, 200) << response.body;
  // Long enough that packing it is worth the while.
  std::string many = R"({"inputs":[{"name":"IN","shape":[100,2],"datatype":"FP32","data":[0)";
  for (int i = 1; i < 200; ++i) many += ",0";
  many += "]}]}";
  const HttpResponse packed = Ask("POST", "/v2/models/sum/infer", many, {{"accept-encoding", "deflate"}});
  EXPECT_EQ(Header(packed, "Content-Encoding"), "deflate");
  EXPECT_EQ(
      json::parse(Inflate(packed.body, ContentCoding::kDeflate, 100'000).value())["outputs"][0]["shape"],
      json({100, 2}));
  const HttpResponse unknown = Ask("POST", "/v2/models/sum/infer", kJson, {{"content-encoding", "br"}});
  EXPECT_EQ(unknown.status, 501);
  EXPECT_EQ(Header(unknown, "Accept-Encoding"), "gzip, deflate");
}

TEST_F(OipApiTest, H06CompressedBodiesBeyondTheLimitAre413AndCostLittle) {
  const std::string bomb = Deflate(std::string(1 << 20, ' '), ContentCoding::kGzip);
  for (int i = 0; i < 100; ++i) {
    const HttpResponse response =
        Ask("POST", "/v2/models/sum/infer", bomb,
            {{"content-encoding", "gzip"}, {"inference-header-content-length", "9999999"}});
    ASSERT_EQ(response.status, 413);
  }
  EXPECT_EQ(Ask("POST", "/v2/models/sum/infer", kJson).status, 200);
}

TEST_F(OipApiTest, H01AWrongLengthHeaderIs400) {
  for (const char* header : {"99999999999", "-1", "abc", "1000"}) {
    EXPECT_EQ(
        Ask("POST", "/v2/models/sum/infer", kJson, {{"inference-header-content-length", header}}).status, 400)
        << header;
  }
}

TEST_F(OipApiTest, S43TheBodyDecidesNotTheContentType) {
  for (const char* type :
       {"", "text/plain", "application/x-www-form-urlencoded", "application/octet-stream"}) {
    EXPECT_EQ(Ask("POST", "/v2/models/sum/infer", kJson, {{"content-type", type}}).status, 200) << type;
  }
}

TEST_F(OipApiTest, ErrorsHaveTheCodeOfTheirKindAndTheNextRequestIsServed) {
  EXPECT_EQ(Ask("POST", "/v2/models/none/infer", kJson).status, 404);
  EXPECT_EQ(Ask("POST", "/v2/models/sum/versions/2/infer", kJson).status, 404);
  EXPECT_EQ(Ask("POST", "/v2/models/sum/infer", "{").status, 400);
  const HttpResponse unknown =
      Ask("POST", "/v2/models/sum/infer",
          R"({"inputs":[{"name":"NO","shape":[1,2],"datatype":"FP32","data":[1,2]}]})");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_EQ(json::parse(unknown.body)["error"], "the model has no input 'NO'");
  fault_ = absl::InternalError("scripted fault");
  EXPECT_EQ(Ask("POST", "/v2/models/sum/infer", kJson).status, 500);
  fault_ = absl::OkStatus();
  EXPECT_EQ(Ask("POST", "/v2/models/sum/infer", kJson).status, 200);
}

TEST_F(OipApiTest, ADeadlineThatPassedIsA504WithItsReason) {
  HttpRequest request;
  request.method = "POST";
  request.path = "/v2/models/sum/infer";
  request.body = kJson;
  request.headers = {{"waystone-timeout-ms", "1"}};
  request.arrived = clock_.Now() - std::chrono::seconds(1);
  HttpResponse got;
  Notification done;
  api_->Handle(std::move(request), HttpResponder([&](HttpResponse response) {
                 got = std::move(response);
                 done.Notify();
               }));
  done.WaitForNotification();
  EXPECT_EQ(got.status, 504);
  EXPECT_EQ(json::parse(got.body)["reason"], "expired");
}

TEST_F(OipApiTest, ReportsHealthWithoutABody) {
  for (const char* path :
       {"/v2/health/live", "/v2/health/ready", "/v2/models/sum/ready", "/v2/models/sum/versions/1/ready"}) {
    const HttpResponse response = Ask("GET", path);
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.body, "");
  }
  EXPECT_EQ(Ask("GET", "/v2/models/none/ready").status, 400);
  core_->Stop(std::chrono::seconds(60));
  EXPECT_EQ(Ask("GET", "/v2/health/live").status, 200);
  EXPECT_EQ(Ask("GET", "/v2/health/ready").status, 400);
}

TEST_F(OipApiTest, DescribesTheServerAndItsModels) {
  const json server = json::parse(Ask("GET", "/v2").body);
  EXPECT_EQ(server["name"], "waystone");
  EXPECT_THAT(server["extensions"].dump(), HasSubstr("binary_tensor_data"));
  const json model = json::parse(Ask("GET", "/v2/models/sum").body);
  EXPECT_EQ(model["inputs"], json::parse(R"([{"name":"IN","datatype":"FP32","shape":[-1,2]}])"));
  EXPECT_EQ(model["versions"], json({"1"}));
  EXPECT_EQ(Ask("GET", "/v2/models/none").status, 404);
  const json config = json::parse(Ask("GET", "/v2/models/sum/config").body);
  EXPECT_EQ(config["max_batch_size"], 4);
  EXPECT_EQ(config["input"][0]["data_type"], "TYPE_FP32");
  EXPECT_EQ(config["input"][0]["dims"], json({2}));
  EXPECT_EQ(config["input"][0]["optional"], false);
  EXPECT_TRUE(config.contains("dynamic_batching"));
  EXPECT_FALSE(config.contains("sequence_batching"));
  const json index = json::parse(Ask("POST", "/v2/repository/index").body);
  EXPECT_EQ(index, json::parse(R"([{"name":"sum","version":"1","state":"READY"}])"));
}

TEST_F(OipApiTest, CountsWhatItAnswered) {
  ASSERT_EQ(Ask("POST", "/v2/models/sum/infer", kJson).status, 200);
  for (const char* path : {"/v2/models/stats", "/v2/models/sum/stats", "/v2/models/sum/versions/1/stats"}) {
    const json stats = json::parse(Ask("GET", path).body)["model_stats"][0];
    EXPECT_EQ(stats["name"], "sum");
    EXPECT_EQ(stats["inference_count"], 1);
    EXPECT_EQ(stats["inference_stats"]["success"]["count"], 1);
  }
  EXPECT_EQ(Ask("GET", "/v2/models/none/stats").status, 404);
}

TEST_F(OipApiTest, UnknownPathsAre404AndOtherMethods405) {
  for (const char* path :
       {"/v2/", "/v2/x", "/v2/models", "/v2/models/sum/x", "/v2/models/sum/versions/one/infer",
        "/v2/models/sum/infer/x", "/v2/health", "/v2/health/x", "/v2/models//infer"}) {
    const HttpResponse response = Ask("GET", path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_TRUE(json::parse(response.body).contains("error"));
  }
  EXPECT_EQ(Ask("GET", "/v2/models/sum/infer").status, 405);
  EXPECT_EQ(Header(Ask("GET", "/v2/models/sum/infer"), "Allow"), "POST");
  EXPECT_EQ(Ask("POST", "/v2").status, 405);
  EXPECT_EQ(Ask("GET", "/v2/repository/index").status, 405);
}

TEST_F(OipApiTest, WhatIsNotServedSaysSo) {
  EXPECT_EQ(Ask("POST", "/v2/repository/models/sum/load", "{}").status, 503);
  EXPECT_EQ(
      Ask("POST", "/v2/repository/models/sum/unload", R"({"parameters":{"unload_dependents":false}})").status,
      503);
  EXPECT_EQ(Ask("POST", "/v2/repository/r/models/sum/load").status, 501);
  EXPECT_EQ(Ask("GET", "/v2/systemsharedmemory/status").status, 501);
  EXPECT_EQ(Ask("POST", "/v2/systemsharedmemory/region/r/register", R"({"key":"/k","byte_size":4})").status,
            501);
  EXPECT_EQ(Ask("GET", "/v2/cudasharedmemory/status").status, 501);
  EXPECT_EQ(Ask("POST", "/v2/models/sum/generate", "{}").status, 501);
  EXPECT_EQ(Ask("GET", "/v2/trace/setting").status, 501);
}

TEST_F(OipApiTest, H08LoadParametersAreNamedAndBounded) {
  const auto status = [&](const std::string& body) {
    return Ask("POST", "/v2/repository/models/sum/load", body).status;
  };
  EXPECT_EQ(status(R"({"parameters":{"file:)" + std::string(256, 'A') + R"(":""}})"), 400);
  EXPECT_EQ(status(R"({"parameters":{"file:1/model.onnx":"not base64!"}})"), 400);
  EXPECT_EQ(status(R"({"parameters":{"unknown":1}})"), 400);
  EXPECT_EQ(status("[1]"), 400);
  EXPECT_EQ(status("{"), 400);
  EXPECT_EQ(
      Ask("POST", "/v2/repository/models/sum/unload", R"({"parameters":{"unload_dependents":1}})").status,
      400);
  EXPECT_EQ(Ask("POST", "/v2/repository/index", R"({"ready":1})").status, 400);
}

}  // namespace
}  // namespace waystone
