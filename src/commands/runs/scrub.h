#pragma once

#include <cstddef>

#include "store/store.h"

namespace lapcast {

/// Says how much of a store was changed.
struct ScrubbedStore {
  std::size_t runs = 0;
  std::size_t others = 0;  // sweeps, and trainings under way
};

/// Replaces the values of secrets in all that the store keeps; their bytes are gone from its file.
ScrubbedStore scrub_store(Store& store);

}  // namespace lapcast
