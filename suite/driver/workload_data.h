#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/error.h"
#include "probe/interrupt.h"
#include "suite/driver/workload.h"

namespace lapcast {

/// Describes a synthetic set that a maker is asked for.
struct DataRequest {
  DataMaker maker;
  std::int64_t training_samples = 0;
  std::int64_t test_samples = 0;
  std::uint64_t seed = 1;
};

/// Returns what a workload's maker is asked for: `training_samples` 0 means as many as the paper
/// has; the test part keeps its proportion.
DataRequest data_request(const DataMaker& maker, std::int64_t training_samples);

/// Takes one line for each thing that happens.
using DataProgress = std::function<void(const std::string&)>;

/// Runs the maker, which writes into `folder`; the folder need not exist. Throws Error
/// (program_failed) when the maker is not found or fails, and Error (interrupted) at an interrupt.
void make_data(const DataRequest& preferences, const std::filesystem::path& folder,
               const Interrupt& interrupt, const DataProgress& news);

/// Returns whether that set is in this user's cache.
bool is_cached(const DataRequest& preferences);

/// Returns the folder with that set in this user's cache,
/// CACHE/lapcast/data/MAKER-TRAINING-TEST-SEED. The first call makes it in one step, so that it is
/// whole or absent; another lapcast that makes it at the same time is waited for. Throws Error as
/// make_data(), and system_failed where there is no cache or others can write to it.
std::filesystem::path cached_data(const DataRequest& preferences, const Interrupt& interrupt,
                                  const DataProgress& news);

/// Returns a program of the suite by its name: in $LAPCAST_SUITE_DIR when that is set, else beside
/// the lapcast binary, else in the folder `workloads` beside it, where a build tree has them; in
/// each also within a folder of its own name. The reason names the folders that were looked in.
Result<std::filesystem::path> find_workload_program(const std::string& name);

/// Returns a folder in this user's cache that holds a copy of a suite's program alone, under its
/// name: what is sent to other machines. Throws Error (program_failed) without the program, and
/// Error (system_failed) where there is no cache or others can write to it.
std::filesystem::path workload_folder(const std::string& name);

/// Returns one line that says how the programs are built and where lapcast then finds them.
std::string how_to_build_workloads();

}  // namespace lapcast
