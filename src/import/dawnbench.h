#pragma once

#include <string>
#include <string_view>

#include "import/imported.h"

namespace lapcast {

/// Reads an entry of DAWNBench's training lists: its JSON (hardware, price) and its TSV (a row for
/// each epoch: number, hours since the start, accuracies). `source` is the name of the entry's
/// files without their ending. `json` is empty when it was not found; the rows alone make a run.
ImportedLog import_dawnbench(std::string_view json, std::string_view tsv,
                             const std::string& source);

}  // namespace lapcast
