#pragma once

#include <string>
#include <string_view>

#include "import/imported.h"

namespace lapcast {

/// An entry of DAWNBench's training lists: its JSON (hardware, price) and its TSV (a row for each
/// epoch: number, hours since the start, accuracies). `source`: name of the entry's files, without
/// their ending. An empty `json` is one that was not found; the rows alone are a run too.
ImportedLog import_dawnbench(std::string_view json, std::string_view tsv,
                             const std::string& source);

}  // namespace lapcast
