#pragma once

#include <cstddef>

#include "store/store.h"

namespace lapcast {

/// Counts the changed entries of a store.
struct ScrubbedStore {
  std::size_t runs = 0;
  std::size_t others = 0;  // sweeps, and trainings under way
};

/// Replaces the values of secrets everywhere in the store; their bytes are gone from its file.
ScrubbedStore scrub_store(Store& store);

}  // namespace lapcast
