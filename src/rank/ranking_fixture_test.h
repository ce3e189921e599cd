#pragma once

#include <string>
#include <utility>

#include "rank/ranking.h"

namespace lapcast::test {

/// Returns a candidate with a run of its own, forecast with +-10 %.
inline Candidate candidate(const std::string& machine_type, double seconds, double share = 0.1) {
  return {.run_id = "run-" + machine_type,
          .machine_type = machine_type,
          .time = Interval<Seconds>{Seconds{seconds / (1 + share)}, Seconds{seconds},
                                    Seconds{seconds * (1 + share)}}};
}

inline Candidate failed(const std::string& machine_type, const std::string& reason) {
  return {.run_id = "run-" + machine_type, .machine_type = machine_type, .time = because(reason)};
}

/// Returns a candidate whose time is known exactly as fixed_s + per_epoch_s * epochs.
inline Candidate by_epochs(const std::string& machine_type, double fixed_s, double per_epoch_s,
                           double epochs) {
  Candidate result = candidate(machine_type, fixed_s + per_epoch_s * epochs, 0);
  result.epochs = epochs;
  result.time_by_epochs = [=](double e) { return Seconds{fixed_s + per_epoch_s * e}; };
  return result;
}

inline Offer offer(const std::string& name, const std::string& machine_type,
                   std::string_view dollars_per_hour) {
  Offer result;
  result.name = name;
  result.machine_type = machine_type;
  result.price = {Money::parse(dollars_per_hour)};
  result.as_of = "2026-11";
  result.source = "test";
  return result;
}

}  // namespace lapcast::test
