#include "suite/driver/workload_data.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/child_process.h"
#include "probe/hook_folder.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

std::string name_of(const DataRequest& preferences) {
  const DataMaker& maker = preferences.maker;
  return fmt::format("{}{}-{}-{}-{}", maker.program,
                     maker.version > 1 ? fmt::format("-v{}", maker.version) : "",
                     preferences.training_samples, preferences.test_samples, preferences.seed);
}

[[noreturn]] void interrupted() {
  throw Error(ExitCode::interrupted, "interrupted while data was made; nothing of it is left");
}

/// Removes an incomplete folder at the end of the scope.
struct RemoveAtEnd {
  fs::path folder;
  ~RemoveAtEnd() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

std::vector<fs::path> folders() {
  if (const auto given = given_suite_folder()) return {*given};
  const fs::path beside = own_binary().parent_path();
  std::vector<fs::path> folders{beside, beside / "workloads"};
  if (const fs::path cache = user_cache_folder(); !cache.empty())
    folders.push_back(cache / "lapcast/suite");
  return folders;
}

}  // namespace

fs::path own_cache_folder(const fs::path& name) {
  const fs::path cache = user_cache_folder();
  if (cache.empty())
    throw Error(ExitCode::system_failed,
                "there is no folder for caches: neither XDG_CACHE_HOME nor HOME is set; set one");
  const fs::path folder = cache / "lapcast" / name;
  if (const auto made = make_private_folders(folder); !made)
    throw Error(ExitCode::system_failed, made.error().text);
  if (!is_own_path(folder, S_IFDIR, Forbidden::writing))
    throw Error(
        ExitCode::system_failed,
        fmt::format("others can write to {}; take that right from them (chmod go-w), or set "
                    "XDG_CACHE_HOME to a folder of your own",
                    printable(folder.string())));
  return folder;
}

std::optional<fs::path> given_suite_folder() {
  const char* given = std::getenv("LAPCAST_SUITE_DIR");
  if (given == nullptr || *given == '\0') return std::nullopt;
  return fs::absolute(given);
}

bool wait_for_lock(FileLock& lock, const Interrupt& interrupt, const DataProgress& news,
                   const std::string& what) {
  for (bool said = false; !lock.is_held(); said = true) {
    if (lock.error() != EWOULDBLOCK && lock.error() != EINTR)
      throw Error(ExitCode::system_failed,
                  fmt::format("cannot lock {}: {}", what, std::strerror(lock.error())));
    if (!said) news("waiting for another lapcast that makes " + what);
    pollfd signalled{interrupt.fd(), POLLIN, 0};
    poll(&signalled, 1, 200);
    if (interrupt.count() > 0) return false;
    lock.try_again();
  }
  return true;
}

DataRequest data_request(const DataMaker& maker, std::int64_t training_samples) {
  if (training_samples == 0) return {maker, maker.training_samples, maker.test_samples};
  return {maker, training_samples, test_samples_for(maker, training_samples)};
}

bool is_cached(const DataRequest& preferences) {
  std::error_code error;
  const fs::path cache = user_cache_folder();
  return !cache.empty() &&
         fs::is_directory(cache / "lapcast" / "data" / name_of(preferences), error);
}

void make_data(const DataRequest& preferences, const fs::path& folder, const Interrupt& interrupt,
               const DataProgress& news) {
  const auto program = find_workload_program(preferences.maker.program);
  if (!program)
    throw Error(ExitCode::program_failed, program.error().text + "; " + how_to_build_workloads());
  news(fmt::format("making {} + {} samples with {}", preferences.training_samples,
                   preferences.test_samples, preferences.maker.program));
  std::vector<std::string> arguments{program->string(), "--out", folder.string(), "--seed",
                                     std::to_string(preferences.seed)};
  for (std::string& argument :
       maker_arguments(preferences.maker, preferences.training_samples, preferences.test_samples))
    arguments.push_back(std::move(argument));
  const auto made = output_of_helper(arguments, interrupt);
  if (interrupt.count() > 0) interrupted();
  if (!made) throw Error(ExitCode::program_failed, made.error().text);
}

fs::path cached_data(const DataRequest& preferences, const Interrupt& interrupt,
                     const DataProgress& news) {
  const fs::path parent = own_cache_folder("data");
  const fs::path folder = parent / name_of(preferences);
  std::error_code error;
  if (fs::is_directory(folder, error)) return folder;
  FileLock lock(folder.string() + ".lock");
  if (!wait_for_lock(lock, interrupt, news, "this set")) interrupted();
  if (fs::is_directory(folder, error)) return folder;  // made by another process in the meantime
  const fs::path draft = folder.string() + ".part";
  fs::remove_all(draft, error);  // left by a process that was killed
  const RemoveAtEnd cleaner{draft};
  make_data(preferences, draft, interrupt, news);
  if (!fs::is_directory(draft, error))
    throw Error(ExitCode::program_failed, preferences.maker.program + " made no folder");
  if (rename(draft.c_str(), folder.c_str()) != 0)
    throw Error(ExitCode::system_failed,
                fmt::format("cannot make the folder {}: {}", printable(folder.string()),
                            std::strerror(errno)));
  news("kept in " + folder.string() + " for later runs");
  return folder;
}

Result<fs::path> find_workload_program(const std::string& name) {
  std::string looked_in;
  for (const fs::path& folder : folders()) {
    for (const fs::path& file : {folder / name, folder / name / name})
      if (const auto found = find_program(file.string())) return *found;
    looked_in += (looked_in.empty() ? "" : " and ") + printable(folder.string());
  }
  return because(fmt::format("there is no program {} in {}", name, looked_in));
}

fs::path workload_folder(const std::string& name) {
  const auto program = find_workload_program(name);
  if (!program)
    throw Error(ExitCode::program_failed, program.error().text + "; " + how_to_build_workloads());
  const fs::path folder = own_cache_folder(fs::path("programs") / name);
  const fs::path copy = folder / name;
  std::error_code error;
  if (fs::last_write_time(copy, error) == fs::last_write_time(*program) &&
      fs::file_size(copy, error) == fs::file_size(*program))
    return folder;
  const fs::path draft = folder / (name + ".part");
  fs::copy_file(*program, draft, fs::copy_options::overwrite_existing);
  fs::last_write_time(draft, fs::last_write_time(*program));
  fs::rename(draft, copy);
  return folder;
}

std::string how_to_build_workloads(const std::string& names) {
  return fmt::format(
      "`lapcast suite build{}`, in a clone of lapcast or its unpacked source archive, builds {} "
      "(lapcast help suite.md)",
      names.empty() ? "" : " " + names, names.empty() ? "the programs" : "it");
}

}  // namespace lapcast
