#pragma once

#include <fmt/format.h>

#include <string>

#include "core/date.h"

namespace lapcast {

/// Returns the tag that the import gives runs of other tools' logs, so that those of a day can be
/// listed and removed together.
inline std::string imported_tag(Date day) {
  return fmt::format("imported-{:04}-{:02}-{:02}", day.year, day.month, day.day);
}

}  // namespace lapcast
