// SPDX-License-Identifier: Apache-2.0
#include "http/router.h"

#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "base/log.h"
#include "http/json_response.h"

namespace waystone {

void Router::Add(std::string method, std::string pattern, RouteHandler handler) {
  const size_t brace = pattern.find('{');
  const bool has_name = brace != std::string::npos;
  if (has_name) pattern.resize(brace);
  routes_.push_back({std::move(method), std::move(pattern), has_name, std::move(handler)});
}

void Router::Handle(HttpRequest request, HttpResponder respond) const {
  std::set<std::string> allowed;
  for (const Route& route : routes_) {
    std::string name;
    if (route.has_name) {
      if (!absl::StartsWith(request.path, route.prefix)) continue;
      name = request.path.substr(route.prefix.size());
      if (name.empty() || absl::StrContains(name, '/')) continue;
    } else if (request.path != route.prefix) {
      continue;
    }
    allowed.insert(route.method);
    if (route.method == "GET") allowed.insert("HEAD");
    if (allowed.count(request.method) > 0) {
      route.handler(name, std::move(request), std::move(respond));
      return;
    }
  }
  if (allowed.empty()) {
    respond(ErrorResponse(
        404, absl::StrCat("nothing is at ", LogSafe(request.path), "; see / for what there is")));
    return;
  }
  HttpResponse response =
      ErrorResponse(405, absl::StrCat(LogSafe(request.path), " takes ", absl::StrJoin(allowed, ", "),
                                      ", not ", LogSafe(request.method)));
  response.headers.emplace_back("Allow", absl::StrJoin(allowed, ", "));
  respond(std::move(response));
}

}  // namespace waystone
