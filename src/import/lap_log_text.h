#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lap/lap_log.h"

namespace lapcast {

/// Writes the contents of another log as a lap log (docs/lap-log.md). Times are nanoseconds since
/// the begin of the run; an event that is earlier than its predecessor is moved to that one's time.
class LapLogText {
 public:
  /// Takes the seconds since 1970 at time 0 (0 = not known), and a format that becomes part of the
  /// emitter's name.
  LapLogText(double wall_seconds, std::string_view format);

  void plan(const ReportedPlan& plan);
  /// Writes an epoch with a single lap, for a source that logs nothing finer.
  void whole_epoch(std::int64_t begin_ns, std::int64_t end_ns, std::int32_t epoch,
                   std::int64_t samples);
  void epoch_begin(std::int64_t at_ns, std::int32_t epoch);
  void epoch_end(std::int64_t at_ns, std::int32_t epoch);
  void lap(std::int64_t at_ns, std::int64_t samples);
  void validation(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t samples);
  void stage_begin(std::int64_t at_ns, std::string_view name);
  void stage_end(std::int64_t at_ns, std::string_view name);
  void metric(std::int64_t at_ns, std::string_view name, double value);
  void bye(std::int64_t at_ns);

  const std::string& text() const { return text_; }

 private:
  std::int64_t moved(std::int64_t at_ns);
  void event(std::int64_t at_ns, std::string_view word, std::string_view argument = {});
  void event(std::int64_t at_ns, std::string_view word, std::int64_t argument);

  std::string text_;
  std::int64_t last_ns_ = 0;
};

/// Returns a number of samples from 1 to the most that a lap may have; 0 where it is not known or
/// less than a half.
std::int64_t lap_samples(double samples);

/// Limits how far a time may be from the first of a log: no run takes longer, and a lap log could
/// not hold it.
inline constexpr std::int64_t kLongestRunNs = 5LL * 365 * 24 * 3600 * 1'000'000'000;

/// Returns "2026-11-20T12:00:00Z"; empty for a time that is not known or outside 1970 to 2100.
std::string utc_text(double seconds_since_1970);

}  // namespace lapcast
