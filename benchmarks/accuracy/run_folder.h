#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "accuracy/csv_table.h"
#include "accuracy/dropped.h"
#include "accuracy/logged_run.h"

namespace lapcast::accuracy {

/// Reads the table NAME or NAME.gz of the folder. A table that is missing, cut off or without its
/// columns adds a line to `notes`; damaged rows are counted in `dropped`.
void read_table(CsvTable table, const std::filesystem::path& folder, const std::string& name,
                Dropped& dropped, std::vector<std::string>& notes);

/// Reads the runs of a folder with runs.csv, events.csv and iters.csv, each plain or with .gz. A
/// table that is missing, cut off or without its columns adds a line to `notes`; what it has is
/// used.
LoggedRuns read_run_folder(const std::filesystem::path& folder, Dropped& dropped,
                           std::vector<std::string>& notes);

}  // namespace lapcast::accuracy
