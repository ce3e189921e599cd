#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/units.h"
#include "forecast/forecast.h"
#include "forecast/lap_profiler.h"
#include "formats/imported.h"
#include "run/run_json.h"

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// Checks what every importer guarantees for any input.
inline void check_imported(const lapcast::ImportedLog& imported) {
  require(!imported.runs.empty() || !imported.problems.empty());
  for (const std::string& problem : imported.problems) {
    require(!problem.empty() && problem.find('\n') == std::string::npos);
  }
  for (const lapcast::Run& run : imported.runs) {
    require(!lapcast::why_not_kept(run));
    require(lapcast::run_from_json_line(lapcast::to_json_line(run)) == run);
    const lapcast::LapLog log = *lapcast::laps_of(run);
    require(log.hello.has_value() && !log.damage);
    require(log.laps.empty() != lapcast::has_laps(run.outcome));
    const auto profile = lapcast::profile_of(run);
    if (!profile) continue;
    const auto plan = lapcast::plan_of({}, *profile);
    if (plan) lapcast::forecast(*profile, *plan);
  }
}
