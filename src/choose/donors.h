#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "forecast/carried_validation.h"
#include "run/run.h"

namespace lapcast {

/// A run that saw its validations through, for those of the same program and settings that did not.
struct Donor {
  std::string run_id;
  std::vector<std::string> program;
  std::map<std::string, std::string> settings;
  ValidationElsewhere validation;
};

/// Of the runs those that can give.
std::vector<Donor> donors_of(std::span<const Run> runs);

/// The one that saw the most validations, of several the first; nullptr = none is like the run.
const Donor* donor_for(const RunContext& context, std::span<const Donor> donors);

}  // namespace lapcast
