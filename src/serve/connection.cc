#include "serve/connection.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "serve/server.h"

namespace lapcast {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

constexpr std::uint32_t kMostHeaderBytes = 8192;
constexpr std::uint64_t kMostBodyBytes = 4096;
constexpr std::size_t kMostBufferBytes = 16384;
constexpr std::size_t kMostQueuedBytes = 4 << 20;  // events that a browser has not read yet
constexpr std::chrono::seconds kRequestTime{10};   // for the next request to come, whole
constexpr std::chrono::seconds kAnswerTime{60};    // to send an answer, and a second for each
constexpr std::size_t kSlowestBytes = 65536;       // of these
constexpr std::chrono::seconds kEventsTime{20};    // to send events

/// Lists the headers of every answer.
constexpr std::pair<std::string_view, std::string_view> kHeaders[] = {
    {"Cache-Control", "no-store"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
};

std::string policy() {
  return fmt::format("{}; frame-ancestors 'none'", kServePolicy);
}

std::vector<std::string_view> values_of(const http::fields& fields, std::string_view name) {
  std::vector<std::string_view> values;
  const auto range = fields.equal_range(boost::string_view(name.data(), name.size()));
  for (auto field = range.first; field != range.second; ++field)
    values.emplace_back(field->value().data(), field->value().size());
  return values;
}

RequestHead head_of(const http::request<http::string_body>& request) {
  const auto text = [](const auto& view) { return std::string_view(view.data(), view.size()); };
  return {text(request.method_string()),    text(request.target()),
          values_of(request, "Host"),       values_of(request, "Origin"),
          values_of(request, kTokenHeader), values_of(request, "Content-Type")};
}

/// Returns the status that answers a request which cannot be read; 0 = none, the browser is gone.
unsigned status_of(const error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::end_of_stream || error == http::error::partial_message) return 0;
  return error.category() == http::make_error_code(http::error::bad_method).category() ? 400 : 0;
}

}  // namespace

void HttpConnection::read() {
  parser_.emplace();
  parser_->header_limit(kMostHeaderBytes);
  parser_->body_limit(kMostBodyBytes);
  buffer_.max_size(kMostBufferBytes);
  stream_.expires_after(kRequestTime);
  http::async_read(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](error_code error, std::size_t) { self->on_read(error); });
}

void HttpConnection::on_read(error_code error) {
  if (is_closed_) return;
  if (error) {
    const unsigned status = status_of(error);
    if (status == 0) return close();
    return send_text(status, "this is not a request that is understood");
  }
  const http::request<http::string_body>& request = parser_->get();
  const auto checked = check_request(head_of(request), answerer_.guard());
  if (!checked) return send_text(checked.error().status, checked.error().text);
  is_trusted_ = is_trusted_ || needs_token(checked->route);
  stream_.expires_never();
  answerer_.answer(shared_from_this(), *checked, request.body());
}

void HttpConnection::send(unsigned status, std::string_view type, SharedText body) {
  if (is_closed_) return;
  body_ = std::move(body);
  answer_.emplace(static_cast<http::status>(status), 11);
  for (const auto& [name, value] : kHeaders)
    answer_->set(boost::string_view(name.data(), name.size()),
                 boost::string_view(value.data(), value.size()));
  answer_->set("Content-Security-Policy", policy());
  answer_->set(http::field::content_type, boost::string_view(type.data(), type.size()));
  answer_->body() = {body_->data(), body_->size()};
  answer_->keep_alive(status < 400 && parser_->get().keep_alive());
  answer_->prepare_payload();
  stream_.expires_after(kAnswerTime + std::chrono::seconds(body_->size() / kSlowestBytes));
  http::async_write(stream_, *answer_, [self = shared_from_this()](error_code error, std::size_t) {
    if (error || self->answer_->need_eof()) return self->close();
    self->body_.reset();
    if (!self->is_closed_) self->read();
  });
}

void HttpConnection::send_text(unsigned status, std::string_view text) {
  send(status, "text/plain; charset=utf-8",
       std::make_shared<const std::string>(std::string(text) + "\n"));
}

void HttpConnection::begin_events() {
  has_events_ = true;
  std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n";
  for (const auto& [name, value] : kHeaders) head += fmt::format("{}: {}\r\n", name, value);
  head += fmt::format("Content-Security-Policy: {}\r\n\r\n", policy());
  watch_for_end();
  send_events(std::make_shared<const std::string>(std::move(head)));
}

void HttpConnection::send_events(const SharedText& events) {
  if (is_closed_ || events->empty()) return;
  queued_bytes_ += events->size();
  if (queued_bytes_ > kMostQueuedBytes) return close();
  events_.push_back(events);
  if (events_.size() == 1) write_events();
}

void HttpConnection::write_events() {
  stream_.expires_after(kEventsTime);
  boost::asio::async_write(stream_, boost::asio::buffer(*events_.front()),
                           [self = shared_from_this()](error_code error, std::size_t) {
                             if (self->is_closed_) return;
                             if (error) return self->close();
                             self->queued_bytes_ -= self->events_.front()->size();
                             self->events_.pop_front();
                             if (!self->events_.empty()) self->write_events();
                           });
}

/// Closes the connection when the browser ends it, or sends something more.
void HttpConnection::watch_for_end() {
  stream_.expires_never();
  stream_.async_read_some(boost::asio::buffer(&ignored_, 1),
                          [self = shared_from_this()](error_code, std::size_t) { self->close(); });
}

void HttpConnection::close() {
  if (std::exchange(is_closed_, true)) return;
  error_code ignored;
  stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_both, ignored);
  stream_.close();
  answerer_.forget(shared_from_this());
}

}  // namespace lapcast
