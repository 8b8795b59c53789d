// SPDX-License-Identifier: Apache-2.0
#include "net/http_listener.h"

#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include <boost/asio/dispatch.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>

#include "base/log.h"
#include "net/http_connection.h"

namespace waystone {
namespace {

constexpr Duration kBackOff = std::chrono::milliseconds(50);

absl::Status ListenError(const tcp::endpoint& endpoint, const error_code& error) {
  const std::string text = absl::StrCat("cannot listen on ", endpoint.address().to_string(), " port ",
                                        endpoint.port(), ": ", error.message());
  if (error == asio::error::access_denied) return absl::PermissionDeniedError(text);
  if (error == asio::error::address_in_use) return absl::UnavailableError(text);
  if (error == boost::system::errc::address_not_available) return absl::InvalidArgumentError(text);
  return absl::UnavailableError(text);
}

error_code OpenAcceptor(const tcp::endpoint& endpoint, TcpAcceptor* acceptor) {
  error_code error;
  error = acceptor->open(endpoint.protocol(), error);
  if (!error) error = acceptor->set_option(TcpAcceptor::reuse_address(true), error);
  if (!error && endpoint.address().is_v6()) error = acceptor->set_option(asio::ip::v6_only(false), error);
  if (!error) error = acceptor->bind(endpoint, error);
  if (!error) error = acceptor->listen(asio::socket_base::max_listen_connections, error);
  return error;
}

// An IPv4 client of a socket that takes both families has one name, not two.
asio::ip::address Unmapped(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  return address;
}

}  // namespace

HttpListener::HttpListener(std::shared_ptr<ServerContext> context)
    : context_(std::move(context)),
      strand_(asio::make_strand(context_->io)),
      acceptor_(strand_),
      timer_(strand_) {}

absl::StatusOr<std::shared_ptr<HttpListener>> HttpListener::Open(std::shared_ptr<ServerContext> context) {
  error_code error;
  const asio::ip::address address = asio::ip::make_address(context->options.address, error);
  if (error) {
    return absl::InvalidArgumentError(absl::StrCat("\"", LogSafe(context->options.address),
                                                   "\" is not an IPv4 or IPv6 address to listen on"));
  }
  const tcp::endpoint endpoint(address, context->options.port);
  std::shared_ptr<HttpListener> listener(new HttpListener(std::move(context)));
  error = OpenAcceptor(endpoint, &listener->acceptor_);
  if (error) return ListenError(endpoint, error);
  listener->port_ = listener->acceptor_.local_endpoint(error).port();
  if (error) return ListenError(endpoint, error);
  return listener;
}

void HttpListener::Start() {
  asio::post(strand_, [self = shared_from_this()] { self->AcceptNext(); });
}

void HttpListener::Stop(std::function<void()> done) {
  asio::post(strand_, [self = shared_from_this(), done = std::move(done)] {
    self->AcceptBacklog();
    error_code ignored;
    ignored = self->acceptor_.close(ignored);
    self->timer_.cancel(ignored);
    done();
  });
}

void HttpListener::AcceptNext() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_accept(asio::make_strand(context_->io),
                         [self = shared_from_this()](const error_code& error, TcpSocket socket) {
                           self->OnAccepted(error, std::move(socket));
                         });
}

void HttpListener::OnAccepted(const error_code& error, TcpSocket socket) {
  error_code trouble = error;
  try {
    if (!error) Admit(std::move(socket));
  } catch (const std::bad_alloc&) {
    trouble = asio::error::no_memory;  // for this client; the next must still be accepted
  }
  if (!acceptor_.is_open()) return;
  // A client that gave up before it was accepted is no reason to wait.
  if (trouble && trouble != asio::error::connection_aborted) return BackOff(trouble);
  AcceptNext();
}

void HttpListener::Admit(TcpSocket socket) {
  error_code error;
  const tcp::endpoint remote = socket.remote_endpoint(error);
  if (error) return;
  error = socket.set_option(tcp::no_delay(true), error);
  const std::string client = Unmapped(remote.address()).to_string();
  if (std::optional<ConnectionRegistry::Place> place = context_->connections.Enter(client)) {
    context_->accepted.fetch_add(1, std::memory_order_relaxed);
    Adopt(std::move(socket), *std::move(place), client)->Start();
    return;
  }
  context_->refused.fetch_add(1, std::memory_order_relaxed);
  // Beyond a number of these the socket is closed without a word, here: a flood must stay cheap.
  if (std::optional<ConnectionRegistry::Place> place = context_->connections.EnterToBeRefused()) {
    Adopt(std::move(socket), *std::move(place), client)->Refuse();
  }
}

std::shared_ptr<HttpConnection> HttpListener::Adopt(TcpSocket socket, ConnectionRegistry::Place place,
                                                    const std::string& client) {
  const uint64_t id = place.id();
  auto connection = std::make_shared<HttpConnection>(context_, std::move(socket), std::move(place), client);
  context_->connections.Attach(id, connection);
  return connection;
}

void HttpListener::BackOff(const error_code& error) {
  if (context_->accept_errors.fetch_add(1, std::memory_order_relaxed) == 0) {
    LogWarning(absl::StrCat("cannot accept a connection: ", error.message(), "; will keep trying"));
  }
  timer_.expires_after(kBackOff);
  timer_.async_wait([self = shared_from_this()](const error_code& cancelled) {
    if (!cancelled) self->AcceptNext();
  });
}

// Clients whose connection the system has already set up would otherwise see a reset.
void HttpListener::AcceptBacklog() {
  error_code error;
  error = acceptor_.non_blocking(true, error);
  while (!error) {
    TcpSocket socket(asio::make_strand(context_->io));
    error = acceptor_.accept(socket, error);
    if (!error) Admit(std::move(socket));
  }
}

}  // namespace waystone
