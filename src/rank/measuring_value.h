#pragma once

#include <vector>

#include "core/money.h"
#include "core/seconds.h"
#include "rank/ranking.h"

namespace lapcast {

/// Is how long a probe rents a machine, when nothing says how long probes take.
inline constexpr Seconds kProbeRental{180};

/// Says what another probe of a choice is worth that was measured before.
struct MeasuringValue {
  const Choice* choice = nullptr;  // of the given ranking
  Money price;                     // of three minutes there
  Money worth;                     // (regret now - regret after) times the expected bill
  double regret_after = 0;         // expected; 0.01 = 1 %
};

/// Returns the choices that are worth three more minutes of measuring, the most valuable first: as
/// another probe, as informative as all that is known now, would change which choice is picked.
/// Only a ranking by cost with prices and without simulated interruptions has such values, and only
/// the 16 choices that are the cheapest most often.
std::vector<MeasuringValue> measuring_values(const Ranking& ranking);

}  // namespace lapcast
