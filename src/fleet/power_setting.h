#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Is the setting of a candidate whose program runs with limited GPUs: "power=250W". A program that
/// has the placeholder {power} has a setting of its own.
inline constexpr const char* kPowerSetting = "power";

/// Is the highest limit that is accepted, in watts.
inline constexpr int kHighestPowerLimit = 10'000;

/// Returns the values of that setting for "200,250": "200W" and "250W". Throws Error (usage) for
/// what is not a list of different whole watts from 1 to 10,000, and for a program with a setting
/// of that name.
std::vector<std::string> parse_power_limits(const std::string& text,
                                            const std::vector<std::string>& program);

/// Returns the watts of "250W"; nothing for another text.
std::optional<int> power_limit_of(std::string_view value);
/// Returns the watts that the GPUs are limited to while the program runs; nothing without a limit.
std::optional<int> power_limit_of(const RunContext& context);

}  // namespace lapcast
