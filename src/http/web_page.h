// SPDX-License-Identifier: Apache-2.0
//
// The files of the web page, read at the start into memory: a request is looked up in a map and never reaches
// the file system, so no path can lead out of the folder, and a page that is being rebuilt is served whole,
// as it was. Every answer has an ETag by content; what lies below assets/ has a hash in its name (the build
// sees to it) and may be kept for good, everything else is asked for again. The policy of the headers lets
// the page run its own scripts and styles and talk to this server, and nothing else. Immutable once loaded;
// thread-safe then.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "net/http_server.h"

namespace waystone {

struct WebPageLimits {
  size_t max_files = 256;
  size_t max_bytes = size_t{16} << 20;  // of all files
};

class WebPage {
 public:
  // Everything below `folder` but names that begin with a dot. NotFound where there is no folder or no
  // index.html in it, OutOfRange over a limit, InvalidArgument for what is neither a file nor a folder (links
  // are not followed).
  static absl::StatusOr<WebPage> Load(const std::string& folder, const WebPageLimits& limits = {});

  // What can be asked for: "/" for index.html, "/" and the relative path for everything else.
  std::vector<std::string> paths() const;

  // The file at `request.path`, which is one of paths(): 200, or 304 where If-None-Match names its ETag.
  HttpResponse Answer(const HttpRequest& request) const;

 private:
  struct File {
    std::string content;
    std::string content_type;
    std::string etag;
    bool immutable = false;
  };
  WebPage() = default;
  std::map<std::string, File> files_;
};

}  // namespace waystone
