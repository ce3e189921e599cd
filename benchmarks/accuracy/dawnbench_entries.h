#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "accuracy/dropped.h"
#include "accuracy/logged_run.h"
#include "accuracy/probe.h"
#include "core/error.h"

namespace lapcast::accuracy {

/// Holds an entry of DAWNBench's lists as the importer reads it.
struct DawnbenchEntryRun {
  LoggedRun run;  // benchmark: "DAWNBench" and the entry's folder
  LapLog log;     // the whole entry; laps are rows
};

/// Reads the entries (NAME.tsv with NAME.json) in the subfolders of the folder, in the order of
/// their names. Entries that are not runs are counted in `dropped`; a missing folder adds a line to
/// `notes`.
std::vector<DawnbenchEntryRun> read_dawnbench(const std::filesystem::path& folder, Dropped& dropped,
                                              std::vector<std::string>& notes);

/// Returns a probe that was stopped after two rows. It points into the entry.
Result<Probe> probe_of_entry(const DawnbenchEntryRun& entry);

/// Returns a probe of two rows of every phase, with the phases declared (phases.h).
Result<Probe> probe_of_phases(const DawnbenchEntryRun& entry);

}  // namespace lapcast::accuracy
