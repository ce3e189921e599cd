#pragma once

#include <string>
#include <vector>

#include "accuracy/judgement.h"
#include "accuracy/logged_run.h"

namespace lapcast::accuracy {

inline constexpr const char* kCoreLong = "core, 5 min and more";
inline constexpr const char* kCoreShort = "core, under 5 min";
inline constexpr int kPlaceOfBenchmarks = 4;  // of groups of one benchmark and duration

/// The groups that a logged run counts in: core (all but minigo and unet3d) by its duration, or its
/// benchmark; benchmark by duration; core by machine family.
std::vector<Group> groups_of(const LoggedRun& run);

}  // namespace lapcast::accuracy
