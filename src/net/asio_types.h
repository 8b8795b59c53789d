// SPDX-License-Identifier: Apache-2.0
//
// The Asio types of this component, with a concrete executor: each connection, and the listener, has a strand
// of its own, so its state needs no lock. Internal: only sources of src/net include it, it pulls in Boost.
#pragma once

#include <chrono>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <boost/system/error_code.hpp>

namespace waystone {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

using Strand = asio::strand<asio::io_context::executor_type>;
using TcpSocket = asio::basic_stream_socket<tcp, Strand>;
using TcpAcceptor = asio::basic_socket_acceptor<tcp, Strand>;
using SteadyTimer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                               asio::wait_traits<std::chrono::steady_clock>, Strand>;

}  // namespace waystone
