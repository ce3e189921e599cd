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

/// Gives each second of a run to one unit or evaluation of its log. Times are in nanoseconds since
/// 1970. Its methods are called in their order.
class MllogTimeLine {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// For a run from start_ns to stop_ns (kNever = not known), with its evaluations in the order of
  /// their begins.
  MllogTimeLine(std::int64_t start_ns, std::int64_t stop_ns,
                std::vector<TimedEvaluation> evaluations)
      : start_ns_(start_ns), stop_ns_(stop_ns), evaluations_(std::move(evaluations)) {}

  /// Gives each second to one unit: of two that overlap, the earlier ends where the later begins,
  /// and what is left of the earlier after the later's end is the later's. Two that begin together
  /// are one.
  void keep_in_order(std::vector<TimedUnit>& units);
  /// Lets units last until the next one begins where what lies between them takes longer than they
  /// do: such a log times something else, and the training is what it leaves out. `begun` has the
  /// begins of units without an end.
  void join_gaps(std::vector<TimedUnit>& units, const std::vector<std::int64_t>& begun) const;
  /// Cuts units short where an evaluation lies at their end. An evaluation in the midst of a unit
  /// runs beside the training, and only its result is kept. `has_epoch_stops` says whether the log
  /// has ends of epochs.
  void place_evaluations(MllogTimes& times, bool has_epoch_stops);
  /// Adds the first of each of its problems.
  void tell(std::vector<std::string>& warnings) const;

 private:
  /// Returns the usual length of the units in which no evaluation begins; nothing where all have
  /// one.
  std::optional<double> usual_without_evaluation(const std::vector<TimedUnit>& units) const;
  /// Returns whether training waited for an evaluation in the midst of this unit: it took longer
  /// than those without one. Without any, only a log that has no ends of epochs says nothing else.
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
