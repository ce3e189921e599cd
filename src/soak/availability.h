#pragma once

#include <array>
#include <optional>
#include <vector>

#include "soak/sessions.h"
#include "stats/survival.h"

namespace lapcast {

/// Says how far one can rely on a machine.
struct Availability {
  std::size_t cuts = 0;               // sessions whose end was seen
  std::vector<SurvivalStep> lasting;  // survival of sessions; those without a seen end are censored
  Interval<double> median_session_s;  // +infinity = more than half last longer than was seen
  std::vector<SurvivalStep> waiting;  // the same of waits: share that takes longer
  Interval<double> median_wait_s;
  Seconds held{0};
  Seconds wanted{0};                  // held or waited for; after a stop by the user it is neither
  std::array<Seconds, 24> held_at{};  // by the hour of day, UTC
  std::array<Seconds, 24> wanted_at{};
  /// Returns the percentage of the time in which the machine was wanted; none when it never was.
  std::optional<double> share() const;
};

Availability availability_of(const SoakedMachine& machine);

}  // namespace lapcast
