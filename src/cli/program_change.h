#pragma once

#include <span>

#include "store/store.h"

namespace lapcast {

/// Warns on stderr when the program of these probes is another one now than when their sweep was
/// begun: their forecasts are of the program as it was. ImportedLog runs are passed over.
void warn_if_program_changed(const Store& store, std::span<const Run> probes);

}  // namespace lapcast
