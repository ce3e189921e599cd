#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "accuracy/dropped.h"
#include "accuracy/logged_run.h"
#include "accuracy/probe.h"
#include "core/result.h"

namespace lapcast::accuracy {

/// An entry of DAWNBench's lists as the importer reads it.
struct DawnbenchEntryRun {
  LoggedRun run;  // benchmark: "DAWNBench" and the entry's folder
  LapLog log;     // all of it; laps are rows
};

/// The entries (NAME.tsv with NAME.json) of the folder's folders, in the order of their names. One
/// that is no run is counted in `dropped`; an absent folder is said in `notes`.
std::vector<DawnbenchEntryRun> read_dawnbench(const std::filesystem::path& folder, Dropped& dropped,
                                              std::vector<std::string>& notes);

/// A probe that was stopped after two rows; it points into the entry.
Result<Probe> probe_of_entry(const DawnbenchEntryRun& entry);

/// A probe of two rows of every phase, the phases being declared (phases.h).
Result<Probe> probe_of_phases(const DawnbenchEntryRun& entry);

}  // namespace lapcast::accuracy
