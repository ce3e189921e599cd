#pragma once

#include <string>
#include <vector>

#include "accuracy/judgement.h"
#include "accuracy/logged_run.h"

namespace lapcast::accuracy {

inline constexpr const char* kCoreLong = "core, 5 min and more";
inline constexpr const char* kCoreShort = "core, under 5 min";
inline constexpr int kPlaceOfBenchmarks = 4;  // of groups with one benchmark and duration

/// Returns the groups of a logged run: core (all but minigo and unet3d) by its duration, or its
/// benchmark; the benchmark by duration; core by machine family. Aborted runs are a group apart.
std::vector<Group> groups_of(const LoggedRun& run);

}  // namespace lapcast::accuracy
