#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "accuracy/dropped.h"
#include "accuracy/logged_run.h"

namespace lapcast::accuracy {

/// The runs of a folder with runs.csv, events.csv and iters.csv, each plain or with .gz. A table
/// that is absent, cut off or without its columns is said in `notes`, one line each, and what there
/// is of it is used.
LoggedRuns read_run_folder(const std::filesystem::path& folder, Dropped& dropped,
                           std::vector<std::string>& notes);

}  // namespace lapcast::accuracy
