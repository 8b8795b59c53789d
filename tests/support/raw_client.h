// SPDX-License-Identifier: Apache-2.0
//
// A TCP client for tests that sends exactly the bytes it is given, malformed ones too, and reads HTTP answers
// one by one. Every read waits for the server, at most kPatience; running out of it fails the test.
// Thread-compatible.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace waystone {

struct RawResponse {
  int status = 0;                              // 0: the connection ended first
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

class RawClient {
 public:
  static constexpr int kPatienceSeconds = 60;

  explicit RawClient(uint16_t port, int receive_buffer_bytes = 0)
      : RawClient(Open(receive_buffer_bytes), port) {}
  // Connects a socket made by Open() before.
  RawClient(int socket, uint16_t port) : socket_(socket) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0) << errno;
  }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), buffer_(std::move(other.buffer_)) {}
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() { Close(); }

  static int Open(int receive_buffer_bytes = 0) {
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    timeval patience{.tv_sec = kPatienceSeconds, .tv_usec = 0};
    setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (receive_buffer_bytes > 0) {
      setsockopt(made, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof(receive_buffer_bytes));
    }
    return made;
  }

  // False when the server has closed before everything was sent.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  // The next answer; `to_head` for the answer to a HEAD request.
  RawResponse Read(bool to_head = false) {
    RawResponse response;
    size_t end;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!Fill()) return response;
    }
    ParseHead(buffer_.substr(0, end + 2), &response);
    buffer_.erase(0, end + 4);
    const auto length = response.headers.find("content-length");
    if (to_head || length == response.headers.end()) return response;
    const size_t wanted = std::strtoull(length->second.c_str(), nullptr, 10);
    while (buffer_.size() < wanted) {
      if (!Fill()) return RawResponse{};
    }
    response.body = buffer_.substr(0, wanted);
    buffer_.erase(0, wanted);
    return response;
  }

  RawResponse Exchange(std::string_view request) {
    Send(request);
    return Read();
  }

  // Waits until the server closes and returns what came before that.
  std::string ReadToEnd() {
    while (Fill()) {
    }
    return std::exchange(buffer_, "");
  }

  void FinishSending() { shutdown(socket_, SHUT_WR); }
  void Close() {
    if (socket_ >= 0) close(std::exchange(socket_, -1));
  }

 private:
  bool Fill() {
    char bytes[16384];
    const ssize_t got = recv(socket_, bytes, sizeof(bytes), 0);
    EXPECT_FALSE(got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        << "the server sent nothing for too long";
    if (got <= 0) return false;
    buffer_.append(bytes, static_cast<size_t>(got));
    return true;
  }

  static void ParseHead(const std::string& head, RawResponse* response) {
    response->status = std::atoi(head.substr(head.find(' ') + 1, 3).c_str());
    size_t line = head.find("\r\n") + 2;
    while (line < head.size()) {
      const size_t end = head.find("\r\n", line);
      const size_t colon = head.find(": ", line);
      std::string name = head.substr(line, colon - line);
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      response->headers[name] = head.substr(colon + 2, end - colon - 2);
      line = end + 2;
    }
  }

  int socket_;
  std::string buffer_;
};

// Waits until `condition` holds; false when it did not within the patience of a test.
template <typename Condition>
bool Eventually(Condition condition) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(RawClient::kPatienceSeconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace waystone
