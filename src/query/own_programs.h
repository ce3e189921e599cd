#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "extrapolate/own_programs.h"
#include "run/run.h"
#include "store/store.h"

namespace lapcast {

/// Bounds the newest runs that own_programs() looks at, and those that it reads.
inline constexpr std::size_t kMostOwnListed = 2000;
inline constexpr std::size_t kMostOwnRead = 20;
/// Is the widest 95 % interval of a mean lap, as a share to each side, of a run that was cut off.
inline constexpr double kMostOwnError = 0.1;

/// Returns the other programs of the user that the store has on two kinds of machines or more, one
/// command line of each: that of the most machine types, else the newest. A program is a script or
/// executable in a folder; options do not make another one, and those of `current` are left out. A
/// run counts if it trained on one worker, ended or knows its laps to kMostOwnError, was not
/// imported, and its GPU was not idle for most of the time. It counts in the class of numbers that
/// it told, else in that of the program that is asked for.
std::vector<OwnProgram> own_programs(const Store& store, std::span<const Run> current);

}  // namespace lapcast
