#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forecast/lap_profile.h"
#include "forecast/priors.h"

namespace lapcast {

/// Holds the measured cost of validations as the time of a validated sample over that of a trained
/// one, which depends on the machine less than either time.
struct ValidationRatio {
  double first_ratio = 0;
  double later_ratio = 0;
  std::int64_t samples = 0;   // of one validation
  std::int64_t observed = 0;  // validations
  ValidationSchedule schedule;
  std::string where;  // for people: "run 3fb09c61d2aa on small"
};

/// Returns the ratio of a run; nothing unless it had full validations as pauses, and the samples of
/// validations and laps are known.
std::optional<ValidationRatio> validation_ratio(const LapProfile& profile, std::string where);

/// Gives a profile without a validation the cost that another run measured, at the pace of the
/// profile's own laps and with the uncertainty of priors.carried_validation; and the other run's
/// schedule when its own is not known. `samples` is of one validation; 0 = as many as the other run
/// has. Nothing changes when the profile has a validation, when its laps report no samples, or when
/// samples is 0 and the run went on beyond the other run's first validation.
void carry_validation(LapProfile& profile, const ValidationRatio& source, std::int64_t samples,
                      const Priors& priors = Priors{});

}  // namespace lapcast
