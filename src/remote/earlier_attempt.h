#pragma once

#include <filesystem>
#include <optional>

#include "core/seconds.h"

namespace lapcast {

/// Holds what a run left behind that was cut off, and is begun once more.
struct EarlierAttempt {
  std::filesystem::path run_dir;  // the program's own
  Seconds time{0};                // that it had run, as far as its record tells
};

/// Returns the newest attempt: in the record's folder itself, after a reboot of its machine, or in
/// that of an earlier life of its Slurm job, FOLDER/runs/ID.JOB.RESTARTS.
std::optional<EarlierAttempt> earlier_attempt(const std::filesystem::path& record_folder);

}  // namespace lapcast
