#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/mllog_draft.h"

namespace lapcast {

/// What a log times: the finest of these becomes the run's laps.
enum class MllogUnit : std::uint8_t { epoch, block, between_evaluations };
std::string_view to_string(MllogUnit unit);

/// A stretch of training between two times of the log, nanoseconds since 1970.
struct TimedUnit {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  double epochs = 0;  // that it trains, as logged; 0 = not said
  std::int64_t line = 0;
};

struct TimedEvaluation {
  std::int64_t begin_ns = 0;  // = end_ns where only a result is logged
  std::int64_t end_ns = 0;
  std::optional<double> accuracy;
  double epoch = 0;  // in which it lies, as logged
};

/// A run's laps and evaluations, neither overlapping: units in order, each evaluation with a time
/// of its own after the unit that it belongs to.
struct MllogTimes {
  MllogUnit unit = MllogUnit::epoch;
  std::vector<TimedUnit> units;
  std::vector<TimedEvaluation> evaluations;
  std::vector<std::string> warnings;  // each names a line
};

/// `wanted`: which unit shall be the laps; else the finest that the log has throughout.
MllogTimes times_of(const MllogDraft& draft, std::optional<MllogUnit> wanted = std::nullopt);

}  // namespace lapcast
