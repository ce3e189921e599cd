#include "serve/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "run/run.h"

namespace lapcast {
namespace {

using Rejection = tl::unexpected<RejectedRequest>;

Rejection reject(unsigned status, std::string_view text) {
  return Rejection(RejectedRequest{status, text});
}

/// Returns whether this is how a browser calls the server.
bool is_this_server(std::string_view authority, std::uint16_t port) {
  const auto is = [&](std::string_view host) {
    return authority == fmt::format("{}:{}", host, port) || (port == 80 && authority == host);
  };
  return is("127.0.0.1") || is("localhost") || is("[::1]");
}

bool is_this_origin(std::string_view origin, std::uint16_t port) {
  constexpr std::string_view kScheme = "http://";
  return origin.starts_with(kScheme) && is_this_server(origin.substr(kScheme.size()), port);
}

/// Returns what a path stands for; nothing for one that is unknown.
std::optional<CheckedRequest> route_of(std::string_view target) {
  constexpr std::string_view kNamedDocument = "/data/";
  if (target == "/") return CheckedRequest{Route::page, ""};
  if (target == "/assets/lapcast.js") return CheckedRequest{Route::script, ""};
  if (target == "/data") return CheckedRequest{Route::document, ""};
  if (target == "/runs") return CheckedRequest{Route::runs, ""};
  if (target == "/events") return CheckedRequest{Route::events, ""};
  if (target == "/change") return CheckedRequest{Route::change, ""};
  if (!target.starts_with(kNamedDocument)) return std::nullopt;
  const std::string_view name = target.substr(kNamedDocument.size());
  if (!is_run_id(name)) return std::nullopt;
  return CheckedRequest{Route::document, name};
}

bool is_json(std::string_view content_type) {
  return content_type.substr(0, content_type.find(';')) == "application/json";
}

}  // namespace

bool needs_token(Route route) {
  return route != Route::page && route != Route::script;
}

bool is_same_secret(std::string_view given, std::string_view secret) {
  if (secret.empty()) return false;
  std::size_t differences = given.size() ^ secret.size();
  for (std::size_t i = 0; i < given.size(); ++i)
    differences |= static_cast<unsigned char>(given[i] ^ secret[i % secret.size()]);
  return differences == 0;
}

tl::expected<CheckedRequest, RejectedRequest> check_request(const RequestHead& head,
                                                            const ServeGuard& guard) {
  if (head.hosts.size() != 1) return reject(400, "a request needs one Host");
  if (!is_this_server(head.hosts.front(), guard.port))
    return reject(403, "the Host is not this server");
  const auto is_own = [&](std::string_view origin) { return is_this_origin(origin, guard.port); };
  if (head.origins.size() > 1 || !std::ranges::all_of(head.origins, is_own))
    return reject(403, "the Origin is not this server");
  const auto route = route_of(head.target);
  if (!route) return reject(404, "there is nothing of this name");
  const bool is_change = route->route == Route::change;
  if (head.method != (is_change ? "POST" : "GET"))
    return reject(405, "this method is not allowed here");
  if (!needs_token(route->route)) return *route;
  if (head.tokens.size() != 1 || !is_same_secret(head.tokens.front(), guard.token))
    return reject(401, "the token is wrong: open the link that lapcast serve printed");
  if (!is_change) return *route;
  if (!guard.allow_changes) return reject(403, "changes need lapcast serve --allow-changes");
  if (head.origins.empty()) return reject(403, "a change needs an Origin");
  if (head.content_types.size() != 1 || !is_json(head.content_types.front()))
    return reject(415, "a change is application/json");
  return *route;
}

}  // namespace lapcast
