#include "probe/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "machine/proc_text.h"
#include "posix/files.h"
#include "probe/ids_and_time.h"
#include "probe/processes.h"
#include "run/run_json.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

// Is followed by PID.START of the lapcast that made the folder, "-" and the run's id; before
// lapcast 0.1 START was absent.
constexpr std::string_view kFolderPrefix = "lapcast-run-";
constexpr const char* kKept = "kept";    // a file in folders that are not to be removed
constexpr const char* kAbout = "about";  // a file that describes the run
constexpr std::size_t kMostAboutBytes = 1 << 20;

/// Removes a folder, whatever modes the program gave those in it.
void remove_tree(const fs::path& root) {
  std::error_code ignored;
  fs::remove_all(root, ignored);
  if (!fs::exists(root, ignored)) return;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto it = fs::recursive_directory_iterator(root, options, ignored);
       it != fs::recursive_directory_iterator(); it.increment(ignored))
    if (it->is_directory(ignored) && !it->is_symlink(ignored))
      fs::permissions(it->path(), fs::perms::owner_all, ignored);
  fs::remove_all(root, ignored);
}

/// Returns whether the lapcast that an owner, "PID.START-ID" or "PID-ID", names has ended.
bool is_dead(std::string_view owner) {
  const auto parts = split(owner.substr(0, owner.find('-')), '.');
  const std::int64_t pid = parse_integer(parts[0]).value_or(0);
  const auto start = parse_integer(parts.back());
  if (pid <= 0 || pid > std::numeric_limits<pid_t>::max() || parts.size() > 2 || !start)
    return false;
  return has_ended(static_cast<pid_t>(pid), parts.size() == 1 ? std::nullopt : start);
}

/// Returns the run folders of this user below `parent` whose lapcast has ended, has not, or both.
std::vector<LiveRunFolder> run_folders(const fs::path& parent, std::optional<bool> ended) {
  std::vector<LiveRunFolder> found;
  std::error_code error;
  for (auto entry = fs::directory_iterator(run_parent_or_default(parent), error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kFolderPrefix)) continue;
    const std::string owner = name.substr(kFolderPrefix.size());
    const std::size_t id = owner.find('-') + 1;  // 0 = none
    if (is_own_path(entry->path(), S_IFDIR, Forbidden::nothing) &&
        (!ended || is_dead(owner) == *ended))
      found.push_back({entry->path(), id == 0 ? "" : owner.substr(id)});
  }
  return found;
}

/// Returns the folders below `parent` that a killed lapcast of this user made.
std::vector<fs::path> stale_folders(const fs::path& parent) {
  std::vector<fs::path> stale;
  for (const LiveRunFolder& folder : run_folders(parent, true)) {
    std::error_code unknown;
    if (!fs::exists(folder.root / kKept, unknown)) stale.push_back(folder.root);
  }
  return stale;
}

/// Returns whether the lapcast that made the folder was killed. After a clean end, helpers that it
/// let live may still run and have left files.
bool was_cut_off(const fs::path& folder) {
  std::error_code unknown;
  return fs::exists(folder / "laps", unknown);
}

/// Returns a pattern that matches only this path.
std::string literal(const std::string& path) {
  std::string pattern;
  for (const char c : path) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace

RunFolder::RunFolder(const fs::path& parent, const std::string& run_id, const fs::path& inherited) {
  root_ = fs::absolute(run_parent_or_default(parent) /
                       fmt::format("{}{}.{}-{}", kFolderPrefix, getpid(),
                                   start_ticks_of(getpid()).value_or(0), run_id));
  const auto fail = [&](const std::string& what) {
    remove_tree(root_);
    throw Error(ExitCode::system_failed, what);
  };
  for (const fs::path& folder : {root_, run_dir(), lap_dir()}) {
    if (!inherited.empty() && folder == run_dir() && rename(inherited.c_str(), folder.c_str()) == 0)
      continue;
    if (mkdir(folder.c_str(), 0700) != 0)
      fail(fmt::format("cannot make the run folder {}: {}; name another place with --run-parent",
                       folder.string(), std::strerror(errno)));
  }
  if (const auto why = why_not_writable(lap_dir())) fail(unwritable_text(*why));
}

std::string RunFolder::unwritable_text(const std::string& why) const {
  return fmt::format(
      "nothing can be written into the run folder {}: {}; free some space there, or "
      "name another place with --run-parent",
      printable(root_.string()), why);
}

void RunFolder::describe(const RunContext& context) const {
  Run run;
  run.context = masked(context);
  run.outcome = outcome::NotEnded{"it goes on"};
  run.started_ns = run.ended_ns = monotonic_ns();
  static_cast<void>(write_private_file(root_ / kAbout, to_json_line(run)));
}

RunFolder::~RunFolder() {
  if (keep_)
    std::ofstream(root_ / kKept) << "kept by --keep-run-folder; lapcast does not remove it\n";
  else {
    remove_tree(lap_dir());  // first: live processes may prevent the rest (stale_folders())
    remove_tree(root_);
  }
}

void DiskWatch::look() {
  was_full_ = was_full_ || has_full_disk(folder_.lap_dir());
}

void DiskWatch::explain_missing_laps(Run& run) const {
  auto why = why_not_writable(folder_.lap_dir());
  if (!why && was_full_) why = "its disk was full for a time";
  if (!why) return;
  const std::string text = folder_.unwritable_text(*why);
  if (auto* none = std::get_if<outcome::NoLaps>(&run.outcome))
    none->why = text;
  else
    run.warnings.push_back("laps may be missing: " + text);
}

fs::path run_parent_or_default(const fs::path& parent) {
  if (!parent.empty()) return parent;
  const char* tmp = std::getenv("TMPDIR");
  return tmp != nullptr && *tmp != '\0' ? fs::path(tmp) : fs::path("/tmp");
}

std::vector<LiveRunFolder> live_run_folders(const fs::path& parent) {
  std::vector<LiveRunFolder> live = run_folders(parent, false);
  std::erase_if(live, [](const LiveRunFolder& folder) { return !is_run_id(folder.run_id); });
  return live;
}

fs::path newest_run_folder(const fs::path& parent, const std::string& run_id) {
  std::pair<fs::file_time_type, fs::path> newest{fs::file_time_type::min(), {}};
  for (const LiveRunFolder& folder : run_folders(parent, std::nullopt)) {
    std::error_code error;
    const fs::file_time_type time = fs::last_write_time(folder.root, error);
    if (!error && folder.run_id == run_id) newest = std::max(newest, {time, folder.root});
  }
  return newest.second;
}

std::optional<Seconds> written_after_start(const fs::path& run_folder, const fs::path& file) {
  std::error_code unknown_start, unknown;
  const fs::file_time_type start = fs::last_write_time(run_folder / kAbout, unknown_start);
  const fs::file_time_type written = fs::last_write_time(file, unknown);
  if (unknown_start || unknown) return std::nullopt;
  return Seconds{written - start};
}

std::optional<Run> described_run(const LiveRunFolder& folder) {
  const FileDescriptor fd(
      open((folder.root / kAbout).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd.is_open() || fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  std::string text;
  read_available(fd.get(), text, kMostAboutBytes);
  auto run = run_from_json_line(text);
  if (!run || why_not_kept(*run) || run->context.id != folder.run_id) return std::nullopt;
  return *std::move(run);
}

void check_run_parent(const fs::path& parent) {
  const fs::path folder = run_parent_or_default(parent);
  std::error_code ignored;
  const bool is_folder = fs::is_directory(folder, ignored);
  if (is_folder && access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw Error(
      ExitCode::system_failed,
      fmt::format("cannot make a run folder in {}: {}; name another place with --run-parent",
                  printable(folder.string()), is_folder ? std::strerror(errno) : "no such folder"));
}

void end_stale_programs(const fs::path& parent) {
  for (const fs::path& folder : stale_folders(parent))
    if (was_cut_off(folder)) kill_processes_of(folder);
}

void remove_stale_run_folders(const fs::path& parent) {
  for (const fs::path& folder : stale_folders(parent))
    if (!was_cut_off(folder) || kill_processes_of(folder)) remove_tree(folder);
}

bool is_checkpoint_pattern(std::string_view pattern) {
  if (pattern.empty() || pattern[0] == '/' || pattern.find('\0') != std::string_view::npos)
    return false;
  return std::ranges::count(fs::path(pattern), "..") == 0;
}

std::optional<std::string> newest_checkpoint(const fs::path& run_dir, const std::string& pattern) {
  if (!is_checkpoint_pattern(pattern)) return std::nullopt;
  const std::string folder = run_dir.string() + "/";
  std::optional<std::pair<fs::file_time_type, std::string>> newest;
  glob_t found{};
  if (glob((literal(folder) + pattern).c_str(), 0, nullptr, &found) == 0)
    for (const std::string path : std::span(found.gl_pathv, found.gl_pathc)) {
      std::error_code error;
      const fs::file_time_type time = fs::last_write_time(path, error);
      if (error || fs::is_symlink(path, error)) continue;
      newest = std::max(newest, std::optional(std::pair(time, path.substr(folder.size()))));
    }
  globfree(&found);
  if (!newest) return std::nullopt;
  return newest->second;
}

std::string with_placeholder(std::string text, std::string_view placeholder,
                             const std::string& value) {
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos;
       at += value.size())
    text.replace(at, placeholder.size(), value);
  return text;
}

std::vector<std::string> resume_arguments(const ResumePlan& plan, const std::string& checkpoint) {
  std::vector<std::string> arguments;
  for (const std::string& argument : plan.arguments)
    arguments.push_back(with_placeholder(argument, "{checkpoint}", "{run_dir}/" + checkpoint));
  return arguments;
}

}  // namespace lapcast
