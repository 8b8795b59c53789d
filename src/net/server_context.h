// SPDX-License-Identifier: Apache-2.0
//
// What the listener and all connections of one server share. Held by shared_ptr: a responder that answers
// while the server goes away keeps the io_context alive until its last use. Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "net/byte_budget.h"
#include "net/connection_registry.h"
#include "net/http_server.h"

namespace waystone {

struct ServerContext {
  ServerContext(HttpServerOptions server_options, HttpHandler server_handler)
      : options(std::move(server_options)),
        handler(std::move(server_handler)),
        bodies(options.max_body_bytes_in_flight),
        connections(static_cast<size_t>(options.max_connections),
                    static_cast<size_t>(options.max_connections_per_client)),
        io(options.io_threads) {}

  const HttpServerOptions options;
  const HttpHandler handler;
  ByteBudget bodies;
  ConnectionRegistry connections;
  std::atomic<bool> draining{false};
  std::atomic<uint64_t> accepted{0};
  std::atomic<uint64_t> refused{0};
  std::atomic<uint64_t> accept_errors{0};
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> bad_requests{0};
  std::atomic<uint64_t> cut_off{0};  // connections closed while a request was on its way
  boost::asio::io_context io;        // last: what it still holds is destroyed first
};

}  // namespace waystone
