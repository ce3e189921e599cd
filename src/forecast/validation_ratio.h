#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forecast/lap_profile.h"
#include "forecast/priors.h"

namespace lapcast {

/// What validations cost where they were seen through: the time of a validated sample over that of
/// a trained one, which depends on the machine less than either.
struct ValidationRatio {
  double first_ratio = 0;
  double later_ratio = 0;
  std::int64_t samples = 0;  // of one validation
  std::int64_t seen = 0;     // validations
  ValidationSchedule schedule;
  std::string where;  // for people: "run 3fb09c61d2aa on small"
};

/// None unless full validations, as pauses, and the samples of them and of laps are known.
std::optional<ValidationRatio> validation_ratio(const LapProfile& profile, std::string where);

/// Gives a profile in which no validation was seen what it costs elsewhere, at the pace of its own
/// laps, with the uncertainty of priors.carried_validation; and the schedule when its own was not
/// seen. samples: of one validation here, 0 = as elsewhere. Nothing changes when one was seen, when
/// its laps report no samples, or when samples is 0 and the first one would have been seen.
void carry_validation(LapProfile& profile, const ValidationRatio& elsewhere, std::int64_t samples,
                      const Priors& priors = Priors{});

}  // namespace lapcast
