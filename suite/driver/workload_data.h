#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/error.h"
#include "posix/files.h"
#include "probe/interrupt.h"
#include "suite/driver/workload.h"

namespace lapcast {

/// Describes a synthetic set for a maker to write.
struct DataRequest {
  DataMaker maker;
  std::int64_t training_samples = 0;
  std::int64_t test_samples = 0;
  std::uint64_t seed = 1;
};

/// Returns the request for a workload's maker: `training_samples` 0 means as many as in the paper;
/// the test part keeps its proportion.
DataRequest data_request(const DataMaker& maker, std::int64_t training_samples);

/// Receives one line for each step.
using DataProgress = std::function<void(const std::string&)>;

/// Runs the maker, which writes into `folder`; the folder need not exist. Throws Error
/// (program_failed) if the maker is not found or fails, and Error (interrupted) at an interrupt.
void make_data(const DataRequest& preferences, const std::filesystem::path& folder,
               const Interrupt& interrupt, const DataProgress& news);

/// Returns whether that set is in this user's cache.
bool is_cached(const DataRequest& preferences);

/// Returns the folder with that set in this user's cache,
/// CACHE/lapcast/data/MAKER-TRAINING-TEST-SEED. The first call makes it in one step, so that it is
/// complete or absent, and waits for another lapcast that makes it at the same time. Throws Error
/// as make_data(), and system_failed if there is no cache or others can write to it.
std::filesystem::path cached_data(const DataRequest& preferences, const Interrupt& interrupt,
                                  const DataProgress& news);

/// Returns CACHE/lapcast/NAME, which only this user can access. Throws Error (system_failed) if
/// there is no cache or others can write to it.
std::filesystem::path own_cache_folder(const std::filesystem::path& name);

/// Waits until this process holds the lock; `news` hears of a lock that another lapcast holds, for
/// the work `what`. Returns false at an interrupt. Throws Error (system_failed).
bool wait_for_lock(FileLock& lock, const Interrupt& interrupt, const DataProgress& news,
                   const std::string& what);

/// Returns $LAPCAST_SUITE_DIR as an absolute path, if that is set.
std::optional<std::filesystem::path> given_suite_folder();

/// Returns a program of the suite by its name: in $LAPCAST_SUITE_DIR if that is set, else next to
/// the lapcast binary, else in the folder `workloads` next to it, where a build tree has them, else
/// in CACHE/lapcast/suite, where `lapcast suite build` puts them; in each also within a folder of
/// its own name. The reason names the searched folders.
Result<std::filesystem::path> find_workload_program(const std::string& name);

/// Returns a folder in this user's cache with only a copy of a suite's program, under its name, to
/// send to other machines. Throws Error (program_failed) without the program, and Error
/// (system_failed) if there is no cache or others can write to it.
std::filesystem::path workload_folder(const std::string& name);

/// Returns a line that says how to build the programs; `names` are those that are missing, empty =
/// several.
std::string how_to_build_workloads(const std::string& names = "");

}  // namespace lapcast
