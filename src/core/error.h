#pragma once

#include <tl/expected.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace lapcast {

/// Says how a lapcast command ends; docs/reference.md lists the codes for users.
enum class ExitCode : int {
  ok = 0,
  some_failed = 1,     // The command ran, but a probe failed or nothing could be ranked.
  usage = 2,           // The arguments make no sense.
  bad_input = 3,       // A file (fleet, catalog, lap log, import) cannot be used.
  program_failed = 4,  // The probed program failed, never reported a lap, or was not found.
  store_failed = 5,    // The store cannot be opened or written.
  system_failed = 6,   // The machine refused something: disk space, a permission, a process.
  over_limit = 7,      // A watched program was stopped at a limit of time or money.
  interrupted = 130,   // Ctrl-C or TERM was received; what was finished is kept.
};

/// Ends a command. It is caught once, in run_lapcast(), and printed as one line on stderr. what()
/// says what was wrong, where (file, line, offset), and what to do next, without a full stop.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Says why an expected outcome did not come. It is a value that is shown in a row, never an
/// exception.
struct Reason {
  std::string text;  // It is one line without a full stop.
  friend bool operator==(const Reason&, const Reason&) = default;
};

/// Holds a value, or the reason why there is none. (It is C++23's std::expected, which g++ 12
/// lacks.)
template <class T>
using Result = tl::expected<T, Reason>;

inline tl::unexpected<Reason> because(std::string text) {
  return tl::unexpected<Reason>(Reason{std::move(text)});
}

}  // namespace lapcast
