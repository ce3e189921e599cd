#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "formats/format_list.h"
#include "store/store.h"

namespace lapcast {

struct ExportSelection {
  std::vector<std::string> ids;  // or their first digits; empty = all, or those of the sweep
  std::string sweep;             // its name, its id or the first digits; empty = any
};

/// Returns the filter of a selection without ids.
RunFilter filter_of(const Store& store, const ExportSelection& selection);

/// Returns the ids of the selected runs: in the order named, or else in order of their start.
/// Throws Error (usage) for an id that is unknown or not unique.
std::vector<std::string> ids_of(const Store& store, const ExportSelection& selection);

// The functions below write runs with their secrets masked, in order of their start, and one at a
// time: a store may have more laps than fit into memory.

/// Writes the runs into one file. Throws Error (some_failed) if there is none.
void write_runs_file(const Store& store, std::vector<std::string> ids, BeginRuns begin,
                     std::ostream& out);

struct WrittenRuns {
  std::size_t runs = 0;
  std::size_t without_laps = 0;  // those that were left out
};
/// Writes a file for each run with laps into a folder of its own below `folder`, which is created
/// if it does not exist. Throws Error: some_failed if no run has a lap; usage, before anything is
/// written, if a run is in the folder already and may not be overwritten; system if a file cannot
/// be written.
WrittenRuns write_run_files(const Store& store, std::vector<std::string> ids,
                            const FilePerRun& format, const std::filesystem::path& folder,
                            bool overwrite);

}  // namespace lapcast
