#pragma once

#include <string>
#include <vector>

#include "core/error.h"

namespace lapcast {

/// Holds a job file of Slurm, as sbatch takes it.
struct SlurmJobFile {
  std::vector<std::string> comments;  // paragraphs below the options, of any bytes
  std::vector<std::string> options;   // "--partition=gpu": one of sbatch each
  std::string script;                 // shell commands, each with a line break
};

/// Returns the text of the job file. Throws Error (some_failed) for an option with a control
/// character, which no line of such a file can hold.
std::string slurm_job_text(const SlurmJobFile& job);

}  // namespace lapcast
