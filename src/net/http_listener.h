// SPDX-License-Identifier: Apache-2.0
//
// Accepts connections and makes an HttpConnection of each, or has it told 503 when a connection limit is
// reached. When the system has no descriptor left, it waits before it tries again: an accept loop that spins
// would take the CPU from those who could free one. Confined to its strand, but for Start, Stop and port.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

#include "net/asio_types.h"
#include "net/http_connection.h"
#include "net/server_context.h"

namespace waystone {

class HttpListener : public std::enable_shared_from_this<HttpListener> {
 public:
  // Binds and listens; connections wait in the system's backlog until Start.
  static absl::StatusOr<std::shared_ptr<HttpListener>> Open(std::shared_ptr<ServerContext> context);
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;

  void Start();
  // Takes in what has already connected, then closes and calls `done` on an io thread.
  void Stop(std::function<void()> done);
  uint16_t port() const { return port_; }

 private:
  explicit HttpListener(std::shared_ptr<ServerContext> context);
  void AcceptNext();
  void OnAccepted(const error_code& error, TcpSocket socket);
  void Admit(TcpSocket socket);
  std::shared_ptr<HttpConnection> Adopt(TcpSocket socket, ConnectionRegistry::Place place,
                                        const std::string& client);
  void BackOff(const error_code& error);
  void AcceptBacklog();

  const std::shared_ptr<ServerContext> context_;
  const Strand strand_;
  TcpAcceptor acceptor_;
  SteadyTimer timer_;
  uint16_t port_ = 0;
};

}  // namespace waystone
