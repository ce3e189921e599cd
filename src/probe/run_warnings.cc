#include "probe/run_warnings.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "core/lower_case.h"
#include "core/units.h"
#include "forecast/disturbance.h"
#include "forecast/gpu_use.h"
#include "forecast/memory_use.h"
#include "machine/proc_text.h"
#include "posix/files.h"
#include "probe/compiler_folders.h"
#include "probe/hook_folder.h"
#include "probe/processes.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kForeignFiles = "the program wrote outside its run folder: ";

std::string of_damage(const Damage& damage) {
  if (damage.lines == 0) return "lap log: " + damage.what;
  return fmt::format("{} damaged lines in the lap log, the first at byte {}: {}", damage.lines,
                     damage.first_offset, damage.what);
}

/// Returns whether a process only works for the program, such as a worker of a DataLoader: a fork
/// of a Python program, which has the same command line, or one that a library of Python started.
/// It would have ended soon after the program.
bool is_own_worker(const LeftProcess& process, std::span<const std::string> program) {
  constexpr std::string_view kStarters[] = {"multiprocessing", "loky", "compile_worker"};
  if (process.name.starts_with("pt_data_worker")) return true;
  if (!process.name.starts_with("python") && !process.name.ends_with(".py")) return false;
  const std::vector<std::string>& words = process.arguments;
  for (const std::string& word : words)
    for (const std::string_view starter : kStarters)
      if (word.find(starter) != std::string::npos) return true;
  // The first word may be an interpreter, or the path of one; {run_dir} stands for a folder.
  const auto own = program.size() > 1 ? program.subspan(1) : program;
  return words.size() >= own.size() &&
         std::ranges::equal(own, std::span(words).last(own.size()),
                            [](const std::string& word, const std::string& of_process) {
                              return word == of_process || of_process.ends_with("/" + word) ||
                                     word.find('{') != word.npos;
                            });
}

/// Says which other programs outlived a program; empty when there are none.
std::string of_left(std::span<const std::string> program, std::span<const LeftProcess> left) {
  std::vector<std::string> names;
  for (const LeftProcess& process : left)
    if (!is_own_worker(process, program)) names.push_back(process.name);
  if (names.empty()) return "";
  return "the program left processes running, which were killed: " + short_list(names, 3);
}

constexpr std::size_t kMostForeignFiles = 100;  // enough for a warning

bool is_open_for_writing(const std::string& fdinfo) {
  const std::string info = text_of_file(fdinfo);
  const std::string flags(find_field(info, "flags", ':').value_or("0"));  // octal
  return (std::strtol(flags.c_str(), nullptr, 8) & O_ACCMODE) != O_RDONLY;
}

/// Returns the files that a process holds open for writing, as far as this user may know them.
std::vector<std::string> written_by(const std::string& process) {
  std::vector<std::string> files;
  const std::string folder = "/proc/" + process;
  for (const std::string& fd : list_system_directory(folder + "/fd")) {
    std::error_code closed;
    const fs::path target = fs::read_symlink(folder + "/fd/" + fd, closed);
    if (!closed && target.is_absolute() && is_open_for_writing(folder + "/fdinfo/" + fd))
      files.push_back(target.string());
  }
  return files;
}

}  // namespace

std::vector<std::string> warnings_about(const Run& run, const LapLog& log,
                                        std::span<const LeftProcess> left) {
  std::vector<std::string> warnings;
  if (log.damage) warnings.push_back(of_damage(*log.damage));
  // A program that lapcast ended had no chance to end its own.
  std::string text = run.stop_sent_ns ? "" : of_left(run.context.program, left);
  if (!text.empty()) warnings.push_back(std::move(text));
  if (!log.epochs.empty() && log.epochs.front().epoch > 1)
    warnings.push_back(fmt::format("the program resumed: its first epoch was number {}",
                                   log.epochs.front().epoch));
  else if (log.plan && log.plan->laps_done > 0)
    warnings.push_back(
        fmt::format("the program resumed: {} laps were made before this run", log.plan->laps_done));
  else if (says_resumed(run.standard_output) || says_resumed(run.standard_error))
    warnings.push_back("the program says that it resumed from a checkpoint");
  return warnings;
}

std::vector<std::string> warnings_about_others(std::span<const LoadSample> loads) {
  const auto others = disturbance_of(loads);
  const std::string text = others ? describe(*others) : "";
  return text.empty() ? std::vector<std::string>{} : std::vector{text};
}

/// Returns the log on the clock of the run, with the samples.
static LapLog with_samples(const LoadSampler& load, const LapLog& log, const Run& run) {
  LapLog both = log;
  const std::int64_t shift_ns = log.hello ? log.hello->clock_ns - run.started_ns : 0;
  change_times(both, [&](std::int64_t& at_ns) { at_ns += shift_ns; });
  both.loads = load.samples();
  both.gpus = load.gpus();
  return both;
}

std::vector<MeteredMemory> memory_of_samples(const LoadSampler& load, const LapLog& log,
                                             const Run& run) {
  return memory_of(run, with_samples(load, log, run));
}

std::vector<std::string> warnings_about_load(const LoadSampler& load, const LapLog& log,
                                             const Run& run) {
  std::vector<std::string> warnings = warnings_about_others(load.samples());
  const LapLog both = with_samples(load, log, run);
  if (const auto training = training_of(both); training && log.hello)
    if (std::string text = describe_idle(use_of_gpus(load.gpus(), training)); !text.empty())
      warnings.push_back(std::move(text));
  std::ranges::move(memory_warnings(memory_of(run, both)), std::back_inserter(warnings));
  return warnings;
}

std::vector<std::string> written_by_lapcast(const fs::path& run_folder,
                                            const fs::path& store_file) {
  std::vector<std::string> prefixes = compiler_prefixes(variables_with({}));
  prefixes.push_back(run_folder.string() + "/");
  prefixes.push_back((user_cache_folder() / "lapcast/hook-").string());
  if (!store_file.empty()) prefixes.push_back(fs::absolute(store_file).string());
  return prefixes;
}

std::string warning_of_foreign_files(const std::vector<std::string>& files) {
  if (files.empty()) return "";
  return fmt::format("{}{}; use {{run_dir}} or LAPCAST_RUN_DIR", kForeignFiles,
                     short_list(files, 3));
}

bool is_warning_of_foreign_files(const std::string& warning) {
  return warning.starts_with(kForeignFiles);
}

ForeignFiles::ForeignFiles(fs::path working_dir, std::vector<std::string> own_prefixes)
    : working_dir_(std::move(working_dir)), own_prefixes_(std::move(own_prefixes)) {
  for (const char* system : {"/dev/", "/proc/", "/sys/", "/run/", "/memfd:"})
    own_prefixes_.emplace_back(system);
  // In a folder to which others may write, a new file does not tell who wrote it.
  is_alone_ = is_own_path(working_dir_, S_IFDIR, Forbidden::writing);
  before_ = files_of_working_dir();
}

bool ForeignFiles::is_own(const fs::path& file) const {
  if (file.native().find("/__pycache__/") != std::string::npos || is_temporary_of_python(file))
    return true;
  return std::ranges::any_of(
      own_prefixes_, [&](const std::string& prefix) { return file.native().starts_with(prefix); });
}

/// Returns the times of the files. They are compared with later times of the same files and never
/// with a clock, because the kernel stamps files by a clock that lags.
std::map<std::string, fs::file_time_type> ForeignFiles::files_of_working_dir() const {
  std::map<std::string, fs::file_time_type> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(working_dir_, error)) {
    if (is_own(entry.path()) || !entry.is_regular_file(error)) continue;
    const fs::file_time_type time = entry.last_write_time(error);
    if (!error) files[entry.path().string()] = time;
  }
  return files;
}

void ForeignFiles::look(pid_t leader) {
  std::vector<pid_t> processes{leader};
  for (std::size_t i = 0; i < processes.size() && i < 64; ++i) {
    for (const std::string& file : written_by(std::to_string(processes[i])))
      if (!is_own(file) && found_.size() < kMostForeignFiles) found_.insert(file);
    for (const pid_t child : children_of(processes[i])) processes.push_back(child);
  }
}

void ForeignFiles::look_when_due(pid_t leader, MonotonicNs now) {
  if (now < next_look_) return;
  look(leader);
  next_look_ = now + 2'000'000'000;
}

std::vector<std::string> ForeignFiles::finish() {
  std::set<std::string> changed;
  if (is_alone_)
    for (const auto& [file, time] : files_of_working_dir()) {
      const auto known = before_.find(file);
      if (known == before_.end() || known->second != time) changed.insert(file);
    }
  if (!changed.empty())  // for example the output of this process, or the log of a server
    for (const std::string& name : list_system_directory("/proc"))
      if (parse_integer(name))
        for (const std::string& file : written_by(name)) changed.erase(file);
  for (const std::string& file : changed)
    if (found_.size() < kMostForeignFiles) found_.insert(file);
  return {found_.begin(), found_.end()};
}

std::vector<std::string> ForeignFiles::warnings() {
  const std::string text = warning_of_foreign_files(finish());
  return text.empty() ? std::vector<std::string>() : std::vector{text};
}

std::optional<ForeignFiles> foreign_files_of(const ProbeRequest& request,
                                             const std::filesystem::path& run_folder) {
  if (request.watch) return std::nullopt;
  return ForeignFiles(std::filesystem::current_path(),
                      written_by_lapcast(run_folder, request.store_file));
}

bool says_resumed(const std::string& output) {
  constexpr std::string_view kPhrases[] = {
      "resuming from",       "resumed from",         "resume from",        "resuming at",
      "resuming training",   "resumed training",     "loading checkpoint", "loaded checkpoint",
      "restored checkpoint", "restoring checkpoint", "from checkpoint"};
  const std::string head = lower_case(std::string_view(output).substr(0, 64 * 1024));
  return std::ranges::any_of(
      kPhrases, [&](std::string_view phrase) { return head.find(phrase) != std::string::npos; });
}

}  // namespace lapcast
