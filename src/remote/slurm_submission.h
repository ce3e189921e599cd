#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/place.h"
#include "run/run.h"

namespace lapcast {

/// Returns the common name of all measurements of a machine entry, or of its group, such as
/// "lapcast-gpu-a100". Slurm runs one job of a name at a time (--dependency=singleton); all of them
/// wait and age together. If letters had to be left out, a hash of the whole name follows. A whole
/// training without a group waits for none: its name ends with the run's id.
std::string slurm_job_name(const RunContext& context, const std::string& group);

/// Returns the options of sbatch that say how large the job is: "--nodes=2"; one node with one task
/// where the place says neither nodes nor GPUs. The tasks on several nodes are for the program to
/// start.
std::vector<std::string> size_options(const Place& cluster);

/// Returns the options of sbatch that ask for the kind of the nodes, their GPUs and the time of a
/// place with a queue, its flags included: "--partition=gpu", "--time=0:36:00".
std::vector<std::string> queue_options(const Place& cluster);

/// Returns the command that submits a job script from its stdin and prints the job's number.
/// `folder` is the run's, on the cluster. The place's flags come last, so that they win.
std::vector<std::string> sbatch_command(const SlurmPlace& place, const RunContext& context,
                                        const std::string& job_name, const std::string& folder);

/// Returns the command that runs what follows it on one node of the place, for two minutes at most;
/// it fails when no node is free within `patience`.
std::vector<std::string> srun_command(const SlurmPlace& place, Seconds patience);

/// Returns the job script: it makes the folder of this life of the job (a requeued job has
/// several), writes down what squeue says of it, and becomes `tool agent record`. It ends at once
/// when the result of an earlier life stands. Both paths are absolute.
std::string slurm_script(const std::string& tool, const std::string& folder);

/// Names one life of a job; the name of its folder ends with ".17.0".
struct SlurmLife {
  std::int64_t job = 0;
  std::int64_t restarts = 0;
  friend auto operator<=>(const SlurmLife&, const SlurmLife&) = default;
};
/// Returns the end of the name of a life's folder, such as ".17.0".
std::string life_suffix(const SlurmLife& life);
/// Parses the end of a folder's name, such as ".17.0". Returns none for any other text.
std::optional<SlurmLife> parse_life_suffix(std::string_view text);

/// Holds what the folders of a run's lives say.
struct SlurmLives {
  std::optional<SlurmLife> recording;  // the newest that began to record; none = none did
  std::optional<SlurmLife> ended;      // the first whose result stands (RecordFolder::ended_file())
  friend bool operator==(const SlurmLives&, const SlurmLives&) = default;
};
/// Reads the whole lines "L.17.0" (it began to record) and "E.17.0" (its result stands) from the
/// beginning of a text, and removes them from it.
SlurmLives take_lives(std::string_view& text);

/// Returns a Slurm command without the user's variables that change what it prints, with times in
/// UTC and plain ASCII.
std::vector<std::string> slurm_command(const std::vector<std::string>& arguments);

}  // namespace lapcast
