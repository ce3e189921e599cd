#pragma once

#include <string_view>

#include "core/money.h"
#include "core/seconds.h"

namespace lapcast {

/// What a racer costs until its next round, and what its next round costs more if it begins anew.
struct PauseCosts {
  HourlyPrice price;
  bool can_be_suspended = true;    // a Slurm job would hold its nodes; memory may be short
  bool billed_while_idle = false;  // the machine is paid for, and nothing else runs on it meanwhile
  Seconds wait{0};                 // expected until its next round
  Seconds again{0};                // init and laps to be run again after a restart
};

enum class PauseMethod { suspend, restart };

/// Whichever costs less; of equal costs the suspension, which loses nothing.
PauseMethod between_rounds(const PauseCosts& racer);

}  // namespace lapcast
