#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "energy/power_series.h"
#include "rank/ranking.h"
#include "run/run.h"

namespace lapcast {

/// Holds what a meter measured; `lines` says how many readings were left out, and why.
struct MeterReadings {
  PowerSeries series;
  std::vector<std::string> lines;
};

/// Reads a meter's file. Throws Error (bad input) if it cannot be read or has no reading.
MeterReadings read_meter_file(const std::string& file);

/// Sets the power of candidates from the runs that they are forecast from, which are as many and in
/// the same order. If a run has no measurement, but other runs of its program on its machine with
/// other settings do, uses theirs (power_at_other_batch()).
void fill_in_power(std::vector<Candidate>& candidates, std::span<const Run* const> runs,
                   const std::optional<MeterReadings>& meter);

}  // namespace lapcast
