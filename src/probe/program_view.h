#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "probe/probe_request.h"

namespace lapcast {

enum class Stream { output, error };

/// Shows a watched program: its own output, and what is known of it. One process uses it.
class ProgramView {
 public:
  virtual ~ProgramView() = default;
  /// Passes on as much of what the program wrote as is possible without waiting. Returns how many
  /// bytes it took: all when nobody reads any more.
  virtual std::size_t write(Stream stream, std::string_view bytes) = 0;
  /// Returns a descriptor that is writable when write() can go on.
  virtual int fd(Stream stream) const = 0;
  virtual void show(const ProbeProgress& progress) = 0;
  virtual void warn(const std::string& what) = 0;
  /// Removes, after the program's end, what is not to stay on the screen.
  virtual void end() = 0;
};

}  // namespace lapcast
