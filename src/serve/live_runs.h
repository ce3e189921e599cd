#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/seconds.h"
#include "history/live_forecast.h"
#include "lap/lap_log.h"
#include "probe/lap_folder.h"
#include "probe/run_folder.h"
#include "probe/sparing_forecast.h"
#include "run/run.h"

namespace lapcast {

/// Describes one lap of a run under way, for a chart.
struct LapPoint {
  std::int64_t index = 0;  // of the lap in its run
  Seconds end{0};          // from the beginning of the log
  Seconds time{0};
};

/// Returns at most `most` of the laps, in their order, with the shortest and the longest one of
/// each stretch of them. `most` is at least 2.
std::vector<LapPoint> drawn_laps(std::span<const Lap> laps, std::size_t most);

/// Follows the runs under way on this machine through the lap logs in their run folders. Reports
/// news as server-sent events (HTML, section 9.2), whose data is one line of JSON:
/// - `run`: a run was found. Its keys are those of `lapcast runs`, where they are known.
/// - `laps`: `laps` of the run are known, `points` has new ones as [index, end_s, lap_s]. Of a run
///   that goes on to its end it says what `watch` shows: the time left and the cost, by the same
///   forecast.
/// - `gone`: the run has ended, or its folder is gone.
/// Reads nothing but regular files in run folders of this user, and never follows a link.
class LiveRuns {
 public:
  static constexpr std::size_t kMostRuns = 64;
  static constexpr std::size_t kMostPoints = 500;          // of a run, in a snapshot
  static constexpr std::size_t kMostNewPoints = 64;        // of a run, at one look
  static constexpr std::int64_t kMostLogBytes = 64 << 20;  // of a run; the rest is not shown

  /// Returns what corrects the forecasts of a run (RunForecaster::past_errors_of).
  using PastErrorsOf = std::function<PastErrorsFor(const RunContext&)>;

  /// Follows the runs below `run_parent`; empty = $TMPDIR or /tmp. look() waits up to `patience`
  /// for its search; a search that takes longer, as when others have made very many folders,
  /// continues in a thread of its own, and a later look() reports what it found.
  explicit LiveRuns(std::filesystem::path run_parent,
                    std::chrono::milliseconds patience = std::chrono::hours{1},
                    PastErrorsOf past_errors_of = {})
      : run_parent_(std::move(run_parent)),
        patience_(patience),
        past_errors_of_(std::move(past_errors_of)) {}

  /// Returns events that tell what is new. Begins to read no further log after 100 ms; the next
  /// look() then continues with the next run.
  std::string look();
  /// Returns events that tell all that is known.
  std::string snapshot() const;
  /// Closes all files; the next look() starts anew.
  void forget();

 private:
  struct LiveRun {
    explicit LiveRun(const LiveRunFolder& folder);
    /// Takes over what lapcast wrote about the run, if anything, and returns the events that tell
    /// it.
    std::string describe(std::optional<Run> run, const PastErrorsOf& past_errors_of);
    std::string laps_event(const auto& points) const;
    std::filesystem::path root;
    std::string id;
    std::optional<Run> about;  // what lapcast wrote down at its start
    LapFolder laps;
    std::optional<SparingForecast> forecast;  // of a run that goes on to its end
    std::size_t told = 0;                     // laps that listeners know of
    std::deque<LapPoint> recent;
  };
  /// Holds the folders of this user's runs under way.
  struct FoundRuns {
    std::vector<LiveRunFolder> folders;
    MonotonicNs took_ns = 0;
  };
  static FoundRuns search(const std::filesystem::path& parent);
  bool is_search_due();
  std::string find_runs();
  static std::string news_of(LiveRun& run);

  std::filesystem::path run_parent_;
  std::chrono::milliseconds patience_;
  PastErrorsOf past_errors_of_;
  std::map<std::filesystem::path, LiveRun> runs_;
  std::filesystem::path looked_at_;                             // the run that was read last
  std::optional<std::filesystem::file_time_type> parent_time_;  // of the last search
  MonotonicNs next_search_ = 0;                                 // if the folder does not change
  MonotonicNs resting_until_ = 0;                               // no search begins before
  std::future<FoundRuns> search_;                               // the one under way
};

/// Returns a server-sent event; `data` is one line.
std::string server_event(std::string_view name, std::string_view data);

}  // namespace lapcast
