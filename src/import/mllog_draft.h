#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/mllog_line.h"

namespace lapcast {

/// Holds what a log says about a run apart from its times; the first mention counts.
struct MllogFacts {
  std::string benchmark;
  std::string org;
  std::string platform;
  double train_samples = 0;
  bool train_samples_at_end = false;  // logged after the run: what was trained on, not an epoch
  double eval_samples = 0;
  double global_batch_size = 0;
};

/// Holds the events of one run in the order of the file, each once: where several ranks log an
/// event, the first in the file, and for init_start the earliest.
struct MllogDraft {
  std::optional<MllogEvent> init_start;
  std::optional<MllogEvent> run_start;
  std::optional<MllogEvent> run_stop;
  std::vector<MllogEvent> events;  // of epochs, blocks and evaluations
  MllogFacts facts;
  std::int64_t repeated = 0;       // events left out because another rank had logged them
  std::int64_t too_many = 0;       // events left out because there were kMostEvents
  std::int64_t far_off = 0;        // events left out because their time is years away
  std::int64_t first_far_off = 0;  // the line of the first of them
  std::int64_t first_ns = 0;       // when the first event with a time was
};

/// Sorts the events of a file into runs: ranks that repeat one another are one run; what starts
/// after a run has stopped, or again after it had got somewhere, is another.
class MllogDrafts {
 public:
  static constexpr std::size_t kMostEvents = 300'000;  // of a run: bounds memory
  static constexpr std::size_t kMostRuns = 1000;       // of a file

  void add(const MllogEvent& event);
  /// Returns the line of the first event that was left out because the file has too many runs; 0 =
  /// none.
  std::int64_t first_lost_line() const { return first_lost_line_; }
  std::vector<MllogDraft>& drafts() { return drafts_; }

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
  MllogFacts later_facts_;              // said after the last run stopped: perhaps of the next
  std::map<EventId, Occurrence> seen_;  // of the last draft
  std::int64_t progress_ns_ = 0;  // when the last draft had last ended a unit or an evaluation
  std::int64_t first_lost_line_ = 0;
};

}  // namespace lapcast
