// SPDX-License-Identifier: Apache-2.0
//
// From method and path to a handler. Patterns are literal but for one trailing "{name}" segment, which stands
// for one non-empty segment. A path that exists under another method is answered 405 with Allow, HEAD like
// GET without a body. Immutable once built; thread-safe then.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "net/http_server.h"

namespace waystone {

// `name` is the segment that stood for "{name}", or empty.
using RouteHandler = std::function<void(const std::string& name, HttpRequest request, HttpResponder respond)>;

class Router {
 public:
  void Add(std::string method, std::string pattern, RouteHandler handler);
  void Handle(HttpRequest request, HttpResponder respond) const;

 private:
  struct Route {
    std::string method;
    std::string prefix;  // the pattern up to "{name}", or all of it
    bool has_name = false;
    RouteHandler handler;
  };
  std::vector<Route> routes_;
};

}  // namespace waystone
