#pragma once

#include <cstdint>

#include "core/seconds.h"

namespace lapcast {

/// Says how long a program of a race runs until it is looked at: to whichever limit comes first.
struct Round {
  std::int64_t laps = 0;  // in all, since its start; 0 = no limit
  Seconds ran{0};         // likewise, pauses not counted; 0 = no limit
  friend bool operator==(const Round&, const Round&) = default;
};

}  // namespace lapcast
