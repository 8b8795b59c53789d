// SPDX-License-Identifier: Apache-2.0
#include "http/router.h"

#include <utility>

#include <gtest/gtest.h>

namespace waystone {
namespace {

class RouterTest : public testing::Test {
 protected:
  RouterTest() {
    router_.Add("GET", "/v1/models", Answer("list"));
    router_.Add("GET", "/v1/models/{name}", Answer("show"));
    router_.Add("POST", "/v1/predict/{name}", Answer("predict"));
  }

  HttpResponse Send(const std::string& method, const std::string& path) const {
    HttpResponse got;
    HttpRequest request;
    request.method = method;
    request.path = path;
    router_.Handle(std::move(request),
                   HttpResponder([&got](HttpResponse response) { got = std::move(response); }));
    return got;
  }

 private:
  static RouteHandler Answer(const std::string& what) {
    return [what](const std::string& name, const HttpRequest&, HttpResponder respond) {
      HttpResponse response;
      response.body = what + ":" + name;
      respond(std::move(response));
    };
  }
  Router router_;
};

TEST_F(RouterTest, FindsTheHandlerAndTheName) {
  EXPECT_EQ(Send("GET", "/v1/models").body, "list:");
  EXPECT_EQ(Send("HEAD", "/v1/models").body, "list:");
  EXPECT_EQ(Send("GET", "/v1/models/a-b").body, "show:a-b");
  EXPECT_EQ(Send("POST", "/v1/predict/m").body, "predict:m");
}

TEST_F(RouterTest, UnknownPathsAre404AndNamesAreOneSegment) {
  EXPECT_EQ(Send("GET", "/nothing").status, 404);
  EXPECT_EQ(Send("GET", "/v1/models/").status, 404);
  EXPECT_EQ(Send("GET", "/v1/models/a/b").status, 404);
}

TEST_F(RouterTest, AnotherMethodIs405AndSaysWhichAreAllowed) {
  const HttpResponse response = Send("DELETE", "/v1/models");
  EXPECT_EQ(response.status, 405);
  ASSERT_EQ(response.headers.size(), 1u);
  EXPECT_EQ(response.headers[0], (std::pair<std::string, std::string>("Allow", "GET, HEAD")));
}

}  // namespace
}  // namespace waystone
