#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/result.h"
#include "probe/probe_request.h"
#include "run/run.h"

namespace lapcast {

/// What a probe tells those who wait for it, as lines of text: through the pipe of a worker process
/// and in the record of a run elsewhere. Lines of other kinds are for later versions.
///   P ELAPSED LAPS EPOCH EPOCHS LAPS_PER_SECOND TOTAL STATE   progress; times in seconds, TOTAL =
///                                                             LOW/MID/HIGH, or - when not known
///   S RUN                                                     what it knows so far: its program is
///                                                             suspended, the round of a race is over
///   R RUN                                                     its result (run_json.h), the last
std::string progress_line(const ProbeProgress& progress);  // with its line break
std::string so_far_line(const Run& run);
std::string result_line(const Run& run);

/// A run whose program is suspended.
struct RunSoFar {
  Run run;
};

/// What a line of any bytes, without its line break, says: nothing for those of other kinds and for
/// damaged progress; the reason for a run that cannot be read.
using ProbeLine = std::variant<std::monostate, ProbeProgress, RunSoFar, Run, Reason>;
ProbeLine parse_probe_line(std::string_view line);

/// Whole lines out of bytes that come in pieces.
class LineBuffer {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }
  /// The next whole line, without its line break.
  std::optional<std::string> next();
  /// How many bytes all lines so far took, their line breaks included.
  std::int64_t taken() const { return taken_; }

 private:
  std::string bytes_;
  std::size_t begin_ = 0;     // of the next line
  std::size_t searched_ = 0;  // no line break before this
  std::int64_t taken_ = 0;
};

/// A run that never began, for the row in which the reason has to stand.
Run run_not_started(const RunContext& context, const std::string& why);

}  // namespace lapcast
