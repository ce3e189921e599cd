#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "serve/guard.h"
#include "serve/page_source.h"

namespace lapcast {

class HttpConnection;
using ConnectionPointer = std::shared_ptr<HttpConnection>;

class Answerer {
 public:
  virtual ~Answerer() = default;
  virtual const ServeGuard& guard() const = 0;
  /// Answers a request that check_request() lets pass, now or later: by send() or begin_events().
  virtual void answer(const ConnectionPointer& connection, const CheckedRequest& request,
                      const std::string& body) = 0;
  /// Is called when a connection has ended.
  virtual void forget(const ConnectionPointer& connection) = 0;
};

/// Reads requests from a browser and sends answers, one after another, or a stream of events.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  /// Takes a connection; the answerer must outlive it.
  HttpConnection(boost::asio::ip::tcp::socket socket, Answerer& answerer)
      : stream_(std::move(socket)), answerer_(answerer) {}

  /// Waits for the next request.
  void read();
  /// Sends an answer; a status from 400 on ends the connection.
  void send(unsigned status, std::string_view type, SharedText body);
  /// Sends one line of plain text.
  void send_text(unsigned status, std::string_view text);
  /// Begins the answer to a request for events.
  void begin_events();
  /// Sends events. Closes a connection that has too many unread ones.
  void send_events(const SharedText& events);
  bool has_events() const { return has_events_; }
  /// Returns whether a request of this connection had the token.
  bool is_trusted() const { return is_trusted_; }
  void close();

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Answer = boost::beast::http::response<boost::beast::http::span_body<const char>>;
  void on_read(boost::beast::error_code error);
  void write_events();
  void watch_for_end();

  boost::beast::tcp_stream stream_;
  Answerer& answerer_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::optional<Answer> answer_;
  SharedText body_;  // of the answer
  bool has_events_ = false;
  bool is_trusted_ = false;
  bool is_closed_ = false;
  std::deque<SharedText> events_;  // the first one is being sent
  std::size_t queued_bytes_ = 0;
  char ignored_ = 0;  // what the browser sends while events are sent
};

}  // namespace lapcast
