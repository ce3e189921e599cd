#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "probe/probe_request.h"

namespace lapcast {

enum class Stream { output, error };

/// Where a watched program is seen: its own output, and what is known of it. One process uses it.
class ProgramView {
 public:
  virtual ~ProgramView() = default;
  /// Passes on as much of what the program wrote as can be without waiting; returns how many bytes.
  /// All of them where nobody reads any more.
  virtual std::size_t write(Stream stream, std::string_view bytes) = 0;
  /// Writable when write() can go on.
  virtual int fd(Stream stream) const = 0;
  virtual void show(const ProbeProgress& progress) = 0;
  virtual void warn(const std::string& what) = 0;
  /// After the program's end: leaves nothing but what is to stay.
  virtual void end() = 0;
};

}  // namespace lapcast
