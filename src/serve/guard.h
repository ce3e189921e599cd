#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace lapcast {

/// Holds what decides whether a request is answered. A list has all values of a repeated header.
struct RequestHead {
  std::string_view method;  // "GET"
  std::string_view target;  // "/data"
  std::vector<std::string_view> hosts;
  std::vector<std::string_view> origins;
  std::vector<std::string_view> tokens;         // of the header kTokenHeader
  std::vector<std::string_view> content_types;  // of the body
};

/// Names the header that carries the token. A page of another site cannot send it: browsers would
/// ask this server for permission first, and it grants none.
inline constexpr std::string_view kTokenHeader = "X-Lapcast-Token";

/// Says whose requests are answered, and which.
struct ServeGuard {
  std::uint16_t port = 0;
  std::string token;
  bool allow_changes = false;
};

enum class Route {
  page,      // GET /
  script,    // GET /assets/lapcast.js
  document,  // GET /data and /data/NAME
  runs,      // GET /runs
  events,    // GET /events
  change,    // POST /change
};

/// Returns whether a request needs the token: for all but the empty page and its script.
bool needs_token(Route route);

struct CheckedRequest {
  Route route = Route::page;
  std::string_view name;  // what follows /data/: an id, or empty
};

struct RejectedRequest {
  unsigned status = 400;  // of HTTP
  std::string_view text;  // one line
};

/// Returns what a request asks for, or why it is not answered:
/// - Its Host must be this server, by number or as localhost, so that no other name can lead a
///   browser to it (DNS rebinding). An Origin must be this server, too.
/// - All but the empty page and its script need the token.
/// - A change needs an Origin, a body of JSON, and permission (allow_changes).
tl::expected<CheckedRequest, RejectedRequest> check_request(const RequestHead& head,
                                                            const ServeGuard& guard);

/// Returns whether two texts are equal. Takes a time that depends only on the length of `given`.
bool is_same_secret(std::string_view given, std::string_view secret);

}  // namespace lapcast
