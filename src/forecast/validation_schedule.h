#pragma once

#include <cstdint>
#include <string>

#include "core/interval.h"
#include "lap/lap_log.h"

namespace lapcast {

/// When a training validates, counted in its epochs.
struct ValidationSchedule {
  double first = 1;               // after so many epochs comes the first one
  double every = 1;               // epochs from each to the next, whole ones; below 1 within epochs
  bool seen = false;              // or declared; else the usual is assumed, one after every epoch
  std::int64_t quiet_epochs = 0;  // seen through from the first on, without any
  double closest = 0;  // only one was seen: `every` is a guess, but no less than this; else 0
  /// So many that a training which validates begins late, nobody knows when: first and every say
  /// nothing.
  bool is_quiet() const { return quiet_epochs >= 2; }
  friend bool operator==(const ValidationSchedule&, const ValidationSchedule&) = default;
};

/// As seen: full validations within epochs by their spacing in laps, else the epochs after which
/// they came. laps_per_epoch: 0 = not known.
ValidationSchedule schedule_of(const LapLog& log, std::int64_t samples, double laps_per_epoch);

/// So many of them an epoch, none or more, evenly spread.
ValidationSchedule evenly(double per_epoch);

/// The schedule as far as the user says it: after every so many epochs, the first after `from`;
/// 0 = not said.
ValidationSchedule declared(const ValidationSchedule& seen, std::int64_t every, std::int64_t from);

/// How many come in so many epochs. An interval where the schedule is a guess.
Interval<double> validations_in(const ValidationSchedule& schedule, double epochs);

/// "after every epoch", "after every 4 epochs, the first after epoch 12", "about 5 times an epoch".
std::string describe(const ValidationSchedule& schedule);

}  // namespace lapcast
