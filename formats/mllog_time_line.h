#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/imported.h"
#include "formats/mllog_reader.h"

namespace lapcast {

/// Assigns each second of a run to one unit or evaluation of its log. Times are in nanoseconds
/// since 1970. The methods must be called in the order of their declaration.
class MllogTimeLine {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// Takes the start and stop of a run (kNever = not known) and its evaluations in order of their
  /// start.
  MllogTimeLine(std::int64_t start_ns, std::int64_t stop_ns,
                std::vector<TimedEvaluation> evaluations)
      : start_ns_(start_ns), stop_ns_(stop_ns), evaluations_(std::move(evaluations)) {}

  /// Removes overlaps: of two units that overlap, the earlier ends where the later begins, and the
  /// later gets what is left of the earlier after its own end. Merges units that begin together.
  void keep_in_order(std::vector<TimedUnit>& units);
  /// Extends units to the start of the next one if the gaps between them take longer than they do:
  /// such a log times something else, and the training happens in the gaps. `begun` has the start
  /// times of units without an end.
  void join_gaps(std::vector<TimedUnit>& units, const std::vector<std::int64_t>& begun) const;
  /// Cuts units short where an evaluation lies at their end. An evaluation in the middle of a unit
  /// runs in parallel with the training, and only its result is kept. `has_epoch_stops` says
  /// whether the log has the ends of epochs.
  void place_evaluations(MllogTimes& times, bool has_epoch_stops);
  /// Appends the first problem of each kind.
  void tell(std::vector<std::string>& warnings) const;

 private:
  /// Returns the usual length of the units in which no evaluation begins; nullopt if one begins in
  /// every unit.
  std::optional<double> usual_without_evaluation(const std::vector<TimedUnit>& units) const;
  /// Returns whether training waited for an evaluation in the middle of this unit: the unit took
  /// longer than those without one. If all have one, returns whether the log lacks ends of epochs.
  bool waited(const TimedEvaluation& evaluation, const TimedUnit& unit) const;
  bool place(TimedEvaluation& evaluation, std::vector<TimedUnit>& units,
             std::vector<TimedUnit>::iterator unit) const;

  std::int64_t start_ns_;
  std::int64_t stop_ns_;
  std::vector<TimedEvaluation> evaluations_;
  std::optional<double> usual_;  // ns of a unit without an evaluation
  bool has_epoch_stops_ = false;
  ProblemCount overlap_, beside_;
};

}  // namespace lapcast
