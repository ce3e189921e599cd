#pragma once

#include <string>

#include "run/run.h"

namespace lapcast {

/// Is the placeholder that lapcast itself fills in when a program is run repeatedly.
inline constexpr const char* kSeedSetting = "seed";
/// Is its value in probes; repeats have 1, 2, 3 ...
inline constexpr const char* kSeedOfProbes = "0";

/// Returns the settings for people, such as "batch=128 lr=0.1", with secrets masked.
std::string settings_text(const RunContext& context);

/// Returns "batch=128 device=cuda", without the seed, which tells runs of one set apart.
std::string settings_of_set(const RunContext& context);

}  // namespace lapcast
