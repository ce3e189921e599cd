#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "lease/lease.h"

namespace lapcast {

/// Returns the names of the first `count` values of an enumeration of leases, as name_of() has
/// them, each with its value, for readers of JSON.
template <class Name, std::size_t count>
std::array<std::pair<std::string_view, Name>, count> names_of_all() {
  std::array<std::pair<std::string_view, Name>, count> names;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<Name>(i);
    names[i] = {name_of(value), value};
  }
  return names;
}

}  // namespace lapcast
