#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/imported.h"
#include "import/mllog_line.h"
#include "run/run.h"

namespace lapcast {

/// Holds what a log says about a run apart from its times. The first mention counts; 0 and "" mean
/// that the log does not say it.
struct MllogFacts {
  std::string benchmark;
  std::string org;
  std::string platform;
  double train_samples = 0;
  /// Says that train_samples was logged after training: it then counts all samples, not those of an
  /// epoch.
  bool train_samples_at_end = false;
  double eval_samples = 0;
  double global_batch_size = 0;
};

/// Holds the events of one run in the order of the file, each once. Where several ranks log an
/// event, the first one in the file counts; for init_start the earliest one.
struct MllogDraft {
  std::optional<MllogEvent> init_start;
  std::optional<MllogEvent> run_start;
  std::optional<MllogEvent> run_stop;
  std::vector<MllogEvent> events;  // of epochs, blocks and evaluations
  MllogFacts facts;
  std::int64_t repeated = 0;  // events left out because another rank had logged them
  std::int64_t too_many = 0;  // events left out because there were kMostEvents
  ProblemCount far_off;       // events left out because their time is years away
  std::int64_t first_ns = 0;  // when the first event with a time was
};

/// Sorts the events of a file into runs. Ranks that repeat one another are one run; a start after a
/// run has stopped, or after it has ended a unit, begins another run.
class MllogDrafts {
 public:
  static constexpr std::size_t kMostEvents = 300'000;  // of a run: bounds memory
  static constexpr std::size_t kMostRuns = 1000;       // of a file

  void add(const MllogEvent& event);
  /// Returns the line of the first event that was left out because the file has too many runs.
  std::optional<std::int64_t> first_lost_line() const { return first_lost_line_; }
  const std::vector<MllogDraft>& drafts() const { return drafts_; }

 private:
  /// Identifies an event by its epoch, or by its time where it has none; a stop has its start's
  /// key.
  using EventId = std::pair<MllogKey, double>;
  struct Occurrence {
    std::int64_t started_ns = 0;  // 0 = not yet
    std::int64_t stopped_ns = 0;
    std::optional<double> value;
  };

  bool starts_another(const MllogEvent& event) const;
  bool open_another(const MllogEvent& event);
  bool is_far_off(const MllogEvent& event);
  void add_moment(std::optional<MllogEvent>& moment, const MllogEvent& event);
  void add_unit_event(const MllogEvent& event);
  static bool is_repeated(const MllogEvent& event, Occurrence& last);
  void add_fact(const MllogEvent& event);

  std::vector<MllogDraft> drafts_;
  MllogFacts later_facts_;  // said after the last run stopped; the next run may own them
  std::map<EventId, Occurrence> occurrences_;  // of the last draft
  std::int64_t progress_ns_ = 0;  // when the last draft had last ended a unit or an evaluation
  std::optional<std::int64_t> first_lost_line_;
};

/// Reads an MLPerf result log piece by piece, in memory that does not grow with the file: only the
/// events of epochs, blocks and evaluations are kept, at most MllogDrafts::kMostEvents of each run.
class MllogReader {
 public:
  static constexpr std::size_t kLongestLine = 1 << 20;  // a longer one is broken

  void feed(std::string_view piece);
  /// Returns the runs, after the last piece. `source` is the name of the file as it is shown.
  ImportedLog finish(const std::string& source);

 private:
  void take_line(std::string_view line);
  void refuse_line();
  void keep_rest(std::string_view rest);

  MllogDrafts drafts_;
  std::string rest_;         // of a line whose end has not been seen
  bool too_long_ = false;    // it is longer than kLongestLine: its bytes are not kept
  std::int64_t line_ = 0;    // complete lines so far
  std::int64_t marked_ = 0;  // lines of an MLPerf log that matter
  ProblemCount broken_;
  MllogEvent event_;
};

/// Lists what a log may time: the finest of these becomes the run's laps.
enum class MllogUnit : std::uint8_t { epoch, block, between_evaluations };
std::string_view to_string(MllogUnit unit);

/// Holds a stretch of training between two times of the log, nanoseconds since 1970.
struct TimedUnit {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  double epochs = 0;  // that it trains, as logged; 0 = not said
  std::int64_t line = 0;
};

/// Holds an evaluation between two times of the log, nanoseconds since 1970.
struct TimedEvaluation {
  std::int64_t begin_ns = 0;  // = end_ns where only a result is logged
  std::int64_t end_ns = 0;
  std::optional<double> accuracy;
  double epoch = 0;  // in which it lies, as logged
};

/// Holds a run's laps and evaluations, none of which overlap: units in order, and each timed
/// evaluation after the unit that it belongs to.
struct MllogTimes {
  MllogUnit unit = MllogUnit::epoch;
  std::vector<TimedUnit> units;
  std::vector<TimedEvaluation> evaluations;
  std::vector<std::string> warnings;  // each names a line
};

/// Returns the times of a draft. `wanted` is the unit that becomes the laps; without it the finest
/// one that the log has throughout is used.
MllogTimes times_of(const MllogDraft& draft, std::optional<MllogUnit> wanted = std::nullopt);

/// Returns the run that a draft describes. `source` is the name of the file as it is shown. `laps`
/// says which unit becomes the laps, see times_of().
Run mllog_run(const MllogDraft& draft, const std::string& source,
              std::optional<MllogUnit> laps = std::nullopt);

}  // namespace lapcast
