#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/imported.h"
#include "formats/mllog_line.h"
#include "run/run.h"

namespace lapcast {

/// Holds what a log says about a run apart from its times. The first line with a fact counts; 0 and
/// "" = no line has it.
struct MllogFacts {
  std::string benchmark;
  std::string org;
  std::string platform;
  double train_samples = 0;
  /// If true, train_samples was logged after the first unit had ended and counts the samples of all
  /// epochs; if false, it counts those of one.
  bool train_samples_at_end = false;
  double eval_samples = 0;
  double global_batch_size = 0;
};

/// Holds the events of one run in the order of the file. If several ranks log an event, only the
/// first one in the file is kept, but the earliest init_start.
struct MllogDraft {
  std::optional<MllogEvent> init_start;
  std::optional<MllogEvent> run_start;
  std::optional<MllogEvent> run_stop;
  std::vector<MllogEvent> events;  // of epochs, blocks and evaluations
  MllogFacts facts;
  std::int64_t repeated = 0;  // events left out because another rank had logged them
  std::int64_t too_many = 0;  // events left out because there were kMostEvents
  ProblemCount far_off;       // events left out because their time is years away
  std::int64_t first_ns = 0;  // time of the first timed event
};

/// Sorts the events of a file into runs. A unit is an epoch, a block or an evaluation. init_start
/// and run_start begin another run if the last run has stopped or ended a unit; otherwise they come
/// from another rank of the same run.
class MllogDrafts {
 public:
  static constexpr std::size_t kMostEvents = 300'000;  // kept per run
  static constexpr std::size_t kMostRuns = 1000;       // kept per file

  /// Adds the next event of the file.
  void add(const MllogEvent& event);
  /// Returns the line of the first event that was left out because the file has too many runs.
  std::optional<std::int64_t> first_lost_line() const { return first_lost_line_; }
  const std::vector<MllogDraft>& drafts() const { return drafts_; }

 private:
  /// Identifies a unit by the key of its start, and by its epoch or, where that is not logged, its
  /// time.
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
  MllogFacts later_facts_;  // logged after the last run stopped; the next run may own them
  std::map<EventId, Occurrence> occurrences_;  // of the last draft
  std::int64_t progress_ns_ = 0;  // end of the last draft's latest unit; 0 = none has ended
  std::optional<std::int64_t> first_lost_line_;
};

/// Reads an MLPerf result log piece by piece. It keeps only the events that MllogDrafts keeps, so
/// its memory is bounded whatever the size of the file.
class MllogReader : public LogReader {
 public:
  static constexpr std::size_t kLongestLine = 1 << 20;  // bytes; a longer one is broken

  void feed(std::string_view piece) override;
  ImportedLog finish(const std::string& source) override;

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

/// Lists the stretches of training that a log may time; one kind of them becomes the run's laps.
enum class MllogUnit : std::uint8_t { epoch, block, between_evaluations };
/// Returns the plural for messages: "epochs", "blocks", "stretches between evaluations".
std::string_view to_string(MllogUnit unit);

/// Holds a stretch of training between two times of the log, in nanoseconds since 1970.
struct TimedUnit {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  double epochs = 0;      // that it trains; 0 = not logged. BERT logs samples or iterations instead
  double samples = 0;     // that it trains, where the log counts them at its begin and end; 0 = not
  std::int64_t line = 0;  // on which it begins; 0 = not known
};

/// Holds an evaluation between two times of the log, in nanoseconds since 1970.
struct TimedEvaluation {
  std::int64_t begin_ns = 0;  // = end_ns when only the result was logged
  std::int64_t end_ns = 0;
  std::optional<double> accuracy;
  double epoch = 0;  // to which it belongs; 0 = not logged
};

/// Holds the units and evaluations of a run, each list in the order of time. None of them overlap:
/// an evaluation that ran in parallel with the training has only the time of its result.
struct MllogTimes {
  MllogUnit unit = MllogUnit::epoch;  // the kind of `units`
  std::vector<TimedUnit> units;
  std::vector<TimedEvaluation> evaluations;
  // If units are epochs and the log groups them into blocks, which end with an evaluation: the
  // epochs of the first block and of the last known one; otherwise 0.
  std::int64_t evaluate_from = 0;
  std::int64_t evaluate_every = 0;
  std::vector<std::string> warnings;  // each names a line
};

/// Returns the times of a draft. `wanted` is the kind of unit that becomes the laps; absent = the
/// finest one that the log times throughout.
MllogTimes times_of(const MllogDraft& draft, std::optional<MllogUnit> wanted = std::nullopt);

/// Returns the run that a draft describes. `source` is the file's name in messages. `laps` is the
/// `wanted` of times_of().
Run mllog_run(const MllogDraft& draft, const std::string& source,
              std::optional<MllogUnit> laps = std::nullopt);

}  // namespace lapcast
