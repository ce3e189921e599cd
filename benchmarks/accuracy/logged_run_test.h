#pragma once

#include <cmath>
#include <initializer_list>
#include <string>

#include "accuracy/logged_run.h"

namespace lapcast::accuracy {

/// Returns a run of 100 s of the benchmark ssd by Org, without events.
inline LoggedRun run_of(MllogUnit unit, double units) {
  LoggedRun run;
  run.id = "v0/Org/system/ssd/result_0";
  run.submitter = "Org";
  run.benchmark = "ssd";
  run.total = Seconds{100};
  run.unit = unit;
  run.units = units;
  return run;
}

inline void log(LoggedRun& run, MllogKey key, double at, double count = 0) {
  MllogEvent event;
  event.key = key;
  event.time_ns = std::llround(at * 1e9);
  event.epoch_count = count;
  run.events.push_back(event);
}

inline void log(LoggedRun& run, MllogKey key, std::initializer_list<double> times) {
  for (const double at : times) log(run, key, at);
}

}  // namespace lapcast::accuracy
