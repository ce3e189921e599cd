#pragma once

#include <tl/expected.hpp>

#include <string>
#include <utility>

#include "core/error.h"

namespace lapcast {

/// Holds a value, or the reason why there is none. (It is C++23's std::expected, which g++ 12
/// lacks.)
template <class T>
using Result = tl::expected<T, Reason>;

inline tl::unexpected<Reason> because(std::string text) {
  return tl::unexpected<Reason>(Reason{std::move(text)});
}

}  // namespace lapcast
