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
struct SuspendedRun {
  Run run;
};

/// What a line of any bytes, without its line break, says: nothing for those of other kinds and for
/// damaged progress; the reason for a run that cannot be read.
using ProbeLine = std::variant<std::monostate, ProbeProgress, SuspendedRun, Run, Reason>;
ProbeLine parse_probe_line(std::string_view line);

/// Whole lines out of bytes that come in pieces.
class LineBuffer {
 public:
  /// The longest line that any lapcast writes: a result whose lap logs are as long as is allowed.
  static constexpr std::size_t kMostLine = 288 << 20;

  LineBuffer() = default;
  /// `most_bytes`: of a line.
  explicit LineBuffer(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  /// Takes no more bytes once a line is too long.
  void append(std::string_view bytes);
  /// Returns true when a line was longer than is allowed: whoever writes it is not lapcast.
  bool is_too_long() const { return too_long_; }
  /// The next whole line, without its line break.
  std::optional<std::string> next();
  /// How many bytes all lines so far took, their line breaks included.
  std::int64_t taken() const { return taken_; }
  /// Returns the bytes behind the last line, and forgets them.
  std::string take_rest();

 private:
  std::size_t most_bytes_ = kMostLine;
  bool too_long_ = false;
  std::string bytes_;
  std::size_t begin_ = 0;     // of the next line
  std::size_t searched_ = 0;  // no line break before this
  std::int64_t taken_ = 0;
};

/// A run that never began, for the row in which the reason has to stand.
Run run_not_started(const RunContext& context, const std::string& why);

}  // namespace lapcast
