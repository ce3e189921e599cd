#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Holds what an old log, written by another program, contains. Contract: docs/import.md.
struct ImportedLog {
  std::vector<Run> runs;
  std::vector<std::string> problems;  // why (part of) it is no run; one line each, with its place
};

/// Returns the context of a run that was read from `source` in this format. `program` is what was
/// trained and `machine` what it ran on; empty ones become "unknown".
RunContext imported_context(std::string_view format, const std::string& source, std::string program,
                            std::string machine);

/// Returns the number that is the whole text; nothing for any other text.
std::optional<double> whole_number(std::string_view text);

/// Returns the text without a leading byte order mark.
std::string_view without_byte_order_mark(std::string_view text);

/// Counts the lines of a file that were left out.
class LinesLeftOut {
 public:
  void add(std::int64_t line, const std::string& why);
  /// Adds "line 3: WHY; 12 WHAT" to the problems, unless no line was left out.
  void tell(std::vector<std::string>& problems, std::string_view what) const;

 private:
  std::int64_t count_ = 0;
  std::string first_;
};

}  // namespace lapcast
