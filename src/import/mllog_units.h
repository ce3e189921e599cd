#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/mllog_draft.h"

namespace lapcast {

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

}  // namespace lapcast
