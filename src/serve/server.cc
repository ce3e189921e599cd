#include "serve/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <list>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "run/secrets.h"
#include "serve/connection.h"

namespace lapcast {
namespace {

using boost::asio::ip::tcp;
using boost::beast::error_code;

constexpr std::size_t kMostConnections = 256;
constexpr std::size_t kMostStreams = 64;  // of events
constexpr std::chrono::milliseconds kTick{100};
constexpr int kTicksPerVersion = 5;      // the store is asked whether it changed
constexpr int kTicksPerHeartbeat = 100;  // a comment finds out who is gone
constexpr std::uint16_t kPortsTried = 100;
constexpr int kFreePortsTried = 20;

constexpr std::string_view kJson = "application/json";

/// Listens on one address, by number, so that nothing is looked up. Port 0 is any free one.
std::optional<tcp::acceptor> listen_at(boost::asio::io_context& io, const char* address,
                                       std::uint16_t port, error_code& error) {
  const tcp::endpoint endpoint(boost::asio::ip::make_address(address), port);
  tcp::acceptor acceptor(io);
  acceptor.open(endpoint.protocol(), error);
  // A browser that is started must not keep the port.
  if (!error) fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && endpoint.address().is_v6())
    acceptor.set_option(boost::asio::ip::v6_only(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error) return std::nullopt;
  return acceptor;
}

/// Listens on both loopback addresses. Without IPv6 only the first is used; a port that another
/// program has on one of them is not free.
std::vector<tcp::acceptor> listen_on(boost::asio::io_context& io, std::uint16_t port,
                                     error_code& error) {
  std::vector<tcp::acceptor> acceptors;
  auto first = listen_at(io, "127.0.0.1", port, error);
  if (!first) return acceptors;
  const std::uint16_t chosen = first->local_endpoint().port();
  auto second = listen_at(io, "::1", chosen, error);
  if (error == boost::asio::error::address_in_use) return acceptors;
  error = {};
  acceptors.push_back(*std::move(first));
  if (second) acceptors.push_back(*std::move(second));
  return acceptors;
}

[[noreturn]] void fail_to_listen(std::uint16_t port, const error_code& error) {
  boost::asio::io_context io;
  error_code ignored;
  std::uint16_t free = 0;
  for (std::uint16_t next = port; free == 0 && next < port + kPortsTried && next < 65535;)
    if (!listen_on(io, ++next, ignored).empty()) free = next;
  throw Error(ExitCode::system_failed,
              fmt::format("cannot listen on port {}: {}; {}--port 0 takes any free one", port,
                          error == boost::asio::error::address_in_use ? "another program uses it"
                                                                      : error.message(),
                          free == 0 ? "" : fmt::format("--port {} is free, and ", free)));
}

std::vector<tcp::acceptor> listen_or_throw(boost::asio::io_context& io, std::uint16_t port) {
  error_code error;
  for (int i = 0; i < (port == 0 ? kFreePortsTried : 1); ++i)
    if (auto acceptors = listen_on(io, port, error); !acceptors.empty()) return acceptors;
  fail_to_listen(port, error);
}

SharedText shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace

/// Does everything in the thread that calls run(), except for the work of the source.
class Server::Impl : public Answerer {
 public:
  Impl(ServeGuard guard, PageFiles files, PageSource& source, LiveRuns& live)
      : guard_(std::move(guard)),
        page_(shared(std::move(files.page))),
        script_(shared(std::move(files.script))),
        source_(source),
        live_(live),
        acceptors_(listen_or_throw(io_, guard_.port)),
        version_(source.version()) {
    guard_.port = acceptors_.front().local_endpoint().port();
    // Measurements take precedence over the page: this affects the thread and those that it starts.
    boost::asio::post(source_thread_, [] { [[maybe_unused]] const int gives_way = nice(10); });
  }

  void run(const Interrupt& interrupt) {
    boost::asio::posix::stream_descriptor signals(io_, fcntl(interrupt.fd(), F_DUPFD_CLOEXEC, 3));
    signals.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [this](error_code) { io_.stop(); });
    for (tcp::acceptor& acceptor : acceptors_) accept(acceptor);
    tick();
    if (interrupt.count() == 0) io_.run();
    source_thread_.stop();  // what waits for it is given up
    for (; source_works_; std::this_thread::sleep_for(kTick))
      if (interrupt.count() > 1) std::_Exit(static_cast<int>(ExitCode::interrupted));
    source_thread_.join();
  }

  const ServeGuard& guard() const override { return guard_; }

  void answer(const ConnectionPointer& connection, const CheckedRequest& request,
              const std::string& body) override {
    switch (request.route) {
      case Route::page:
        return connection->send(200, "text/html; charset=utf-8", page_);
      case Route::script:
        return connection->send(200, "text/javascript; charset=utf-8", script_);
      case Route::document:
        return ask(connection,
                   [this, name = std::string(request.name)] { return source_.document(name); });
      case Route::runs:
        return ask(connection, [this] { return source_.runs(); });
      case Route::events:
        return begin_events(connection);
      case Route::change:
        return change(connection, body);
    }
  }

  void forget(const ConnectionPointer& connection) override {
    connections_.remove(connection);
    if (connection->has_events() && streams() == 0) live_.forget();
  }

 private:
  /// Holds the answer to a request that asks the source.
  struct SourceAnswer {
    unsigned status = 200;
    std::string_view type = kJson;
    SharedText text;
  };

  /// Returns what `make` returns, or the error that it throws as one line of text.
  static SourceAnswer answer_of(const std::function<SharedText()>& make) {
    constexpr std::string_view kText = "text/plain; charset=utf-8";
    try {
      return {200, kJson, make()};
    } catch (const Error& error) {
      const unsigned status = error.code() == ExitCode::store_failed ? 503 : 409;
      return {status, kText, shared(printable(masked_text(error.what()), 1000))};
    } catch (const std::exception& error) {
      return {500, kText, shared(printable(error.what(), 1000))};
    }
  }

  void accept(tcp::acceptor& acceptor) {
    acceptor.async_accept([this, &acceptor](error_code error, tcp::socket socket) {
      if (error) {  // such as too many open files
        waiting_acceptors_.push_back(&acceptor);
        return;
      }
      if (connections_.size() >= kMostConnections) close_the_oldest();
      connections_.push_back(std::make_shared<HttpConnection>(std::move(socket), *this));
      connections_.back()->read();
      accept(acceptor);
    });
  }

  /// Makes room: closes the oldest connection without the token, which may be one of a flood by
  /// another user of this machine, or else the oldest one without events.
  void close_the_oldest() {
    auto oldest = std::ranges::find(connections_, false, &HttpConnection::is_trusted);
    if (oldest == connections_.end())
      oldest = std::ranges::find(connections_, false, &HttpConnection::has_events);
    if (oldest != connections_.end()) ConnectionPointer(*oldest)->close();
  }

  std::size_t streams() const {
    return static_cast<std::size_t>(
        std::ranges::count(connections_, true, &HttpConnection::has_events));
  }

  /// Lets the source make an answer in its own thread, and sends it.
  void ask(const ConnectionPointer& connection, std::function<SharedText()> make) {
    boost::asio::post(source_thread_, [this, connection, make = std::move(make)] {
      source_works_ = true;
      SourceAnswer answer = answer_of(make);
      source_works_ = false;
      boost::asio::post(io_, [connection, answer = std::move(answer)] {
        connection->send(answer.status, answer.type, answer.text);
      });
    });
  }

  void change(const ConnectionPointer& connection, const std::string& body) {
    const Result<Change> change = parse_change(body);
    if (!change) return connection->send_text(400, change.error().text);
    ask(connection, [this, change = *change] {
      source_.apply(change);
      return shared("{}");
    });
  }

  void begin_events(const ConnectionPointer& connection) {
    if (streams() >= kMostStreams)
      return connection->send_text(503, "too many pages follow the events");
    send_to_all(live_.look());
    connection->begin_events();
    connection->send_events(shared(version_event() + live_.snapshot()));
  }

  std::string version_event() const {
    return server_event(
        "version", fmt::format(R"({{"version":{},"changes":{}}})", version_, guard_.allow_changes));
  }

  void send_to_all(std::string events) {
    if (events.empty()) return;
    const SharedText text = shared(std::move(events));
    for (const ConnectionPointer& connection : std::list(connections_))
      if (connection->has_events()) connection->send_events(text);
  }

  /// Looks for news ten times a second, for those who follow the events.
  void tick() {
    for (tcp::acceptor* acceptor : std::exchange(waiting_acceptors_, {})) accept(*acceptor);
    if (streams() > 0) {
      send_to_all(live_.look());
      if (ticks_ % kTicksPerVersion == 0) look_at_version();
      if (ticks_ % kTicksPerHeartbeat == 0) send_to_all(": still here\n\n");
    }
    ++ticks_;
    timer_.expires_after(kTick);
    timer_.async_wait([this](error_code error) {
      if (!error) tick();
    });
  }

  void look_at_version() {
    if (std::exchange(asks_version_, true)) return;
    boost::asio::post(source_thread_, [this] {
      std::int64_t version = -1;  // a store that cannot be read is told by its document
      answer_of([&] {
        version = source_.version();
        return SharedText();
      });
      boost::asio::post(io_, [this, version] {
        asks_version_ = false;
        if (std::exchange(version_, version) != version) send_to_all(version_event());
      });
    });
  }

  ServeGuard guard_;
  SharedText page_;
  SharedText script_;
  PageSource& source_;
  LiveRuns& live_;
  boost::asio::io_context io_{1};
  std::atomic<bool> source_works_ = false;  // on an answer, which may take long
  boost::asio::thread_pool source_thread_{1};
  std::vector<tcp::acceptor> acceptors_;
  std::vector<tcp::acceptor*> waiting_acceptors_;  // until the next tick
  std::list<ConnectionPointer> connections_;       // the oldest first
  boost::asio::steady_timer timer_{io_};
  std::int64_t ticks_ = 0;
  std::int64_t version_;  // of the source, when it was asked last
  bool asks_version_ = false;
};

Server::Server(ServeGuard guard, PageFiles files, PageSource& source, LiveRuns& live)
    : impl_(std::make_unique<Impl>(std::move(guard), std::move(files), source, live)) {}
Server::~Server() = default;

std::uint16_t Server::port() const {
  return impl_->guard().port;
}

void Server::run(const Interrupt& interrupt) {
  impl_->run(interrupt);
}

}  // namespace lapcast
