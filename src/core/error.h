#pragma once

#include <stdexcept>
#include <string>

namespace lapcast {

/// Says how a lapcast command ends; docs/exit-codes.md lists them for users.
enum class ExitCode : int {
  ok = 0,
  some_failed = 1,     // the command ran, but a probe failed or nothing could be ranked
  usage = 2,           // arguments that make no sense
  bad_input = 3,       // a file (fleet, catalog, lap log, import) cannot be used
  program_failed = 4,  // the probed program failed, never reported a lap, or was not found
  store_failed = 5,    // the store cannot be opened or written
  system_failed = 6,   // the machine refused something: no disk space, no permission, no process
  over_limit = 7,      // a watched program was stopped at a limit of time or money
  interrupted = 130,   // Ctrl-C or TERM; what was finished is kept
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
  std::string text;  // one line, plain words, no full stop
  friend bool operator==(const Reason&, const Reason&) = default;
};

}  // namespace lapcast
