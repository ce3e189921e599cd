#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "probe/interrupt.h"
#include "serve/guard.h"
#include "serve/live_runs.h"
#include "serve/page_source.h"

namespace lapcast {

/// Holds the files of the page. They have no data of the user.
struct PageFiles {
  std::string page;    // HTML
  std::string script;  // all scripts of the page
};

/// Is the Content-Security-Policy of the page: scripts come only from the server, or are the one
/// that the page unpacks (Plotly).
inline constexpr const char* kServePolicy =
    "default-src 'none'; script-src 'self' blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/// Serves the page by HTTP/1.1 on this machine's loopback addresses, 127.0.0.1 and ::1;
/// check_request() decides who is served. The number of connections and the size and time of a
/// request are limited; slow readers are dropped.
class Server {
 public:
  /// Listens on the guard's port, or on a free one where that is 0. Throws Error (system) when the
  /// port is in use. The source and the runs must outlive the server.
  Server(ServeGuard guard, PageFiles files, PageSource& source, LiveRuns& live);
  ~Server();

  std::uint16_t port() const;
  /// Answers requests until a signal has come.
  void run(const Interrupt& interrupt);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapcast
