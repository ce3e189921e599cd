#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "forecast/validation_ratio.h"
#include "run/run.h"

namespace lapcast {

/// A run that saw its validations through, for those of the same program and settings that did not.
struct ValidationSource {
  std::string run_id;
  std::vector<std::string> program;
  std::map<std::string, std::string> settings;
  ValidationRatio validation;
};

/// Of the runs those that can give.
std::vector<ValidationSource> validation_sources_of(std::span<const Run> runs);

/// The one that saw the most validations, of several the first; nullptr = none is like the run.
const ValidationSource* validation_source_for(const RunContext& context,
                                              std::span<const ValidationSource> validation_sources);

}  // namespace lapcast
