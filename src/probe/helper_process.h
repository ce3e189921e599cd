#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "posix/files.h"

namespace lapcast {

/// Runs a small C program embedded in lapcast (cmake/helper_program.cmake) as a child, from an
/// in-memory file that only this process and its children see. The child ends with the object, and
/// with this process.
class HelperProcess {
 public:
  /// Starts the program; arguments[0] is its name. The reason says what the system refused.
  static Result<HelperProcess> start(std::string_view program, std::vector<std::string> arguments);
  HelperProcess(HelperProcess&& other) noexcept;
  HelperProcess& operator=(HelperProcess&& other) noexcept;
  ~HelperProcess();

  pid_t pid() const { return pid_; }
  /// Returns a descriptor that is readable when the program has printed something or has ended.
  int fd() const { return output_.get(); }
  /// Returns what it printed on stdout and stderr since the last call, at most 1 MiB. The text is
  /// empty if it printed nothing; there is no value once it has ended.
  std::optional<std::string> read();

 private:
  HelperProcess(pid_t pid, FileDescriptor output);

  pid_t pid_;  // -1 = moved away
  FileDescriptor output_;
};

}  // namespace lapcast
