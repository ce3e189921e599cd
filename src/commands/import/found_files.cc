#include "commands/import/found_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "machine/proc_text.h"
#include "posix/gzip_file.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = 1 << 20;

/// Returns the names in a folder, one in a line, with a line break before the first.
std::string names_in(const fs::path& folder) {
  std::string names = "\n";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    names += entry.path().filename().string() + "\n";
  return names;
}

bool begins_object(std::string_view head) {
  const std::size_t at = head.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && head[at] == '{';
}

/// Returns whether a text begins as the lines of `lapcast export` do.
bool holds_runs(std::string_view head) {
  return begins_object(head) && (head.find("\"lapcast-run\"") != std::string_view::npos ||
                                 head.find("\"lap_logs\"") != std::string_view::npos);
}

/// Returns the number of the checkpoint that a file is in, "checkpoint-500/trainer_state.json".
std::optional<std::int64_t> checkpoint_of(const fs::path& file) {
  constexpr std::string_view kBegin = "checkpoint-";
  const std::string folder = file.parent_path().filename().string();
  if (!folder.starts_with(kBegin)) return std::nullopt;
  return parse_integer(std::string_view(folder).substr(kBegin.size())).value_or(0);
}

class LogFinder {
 public:
  void take_named(const std::string& name) {
    std::error_code ignored;
    if (name == "-") return found_.runs.push_back(name);
    if (fs::is_directory(name, ignored)) return take_folder(name);
    if (take_file(name)) return;
    // The first line of a file of runs may be damaged.
    const bool may_hold_runs =
        fs::path(name).extension() == ".jsonl" && !begins_object(read_head(name, kHeadBytes));
    (may_hold_runs ? found_.runs : found_.unknown).push_back(name);
  }

  FoundFiles found() {
    for (auto& [folder, files] : events_) {
      std::ranges::sort(files.files);
      found_.logs.push_back(std::move(files));
    }
    for (auto& [folder, newest] : states_) found_.logs.push_back(std::move(newest.second));
    return std::move(found_);
  }

 private:
  void take_folder(const fs::path& folder) {
    if (is_log(folder)) return;
    for (const fs::path& file : files_below(folder)) {
      bool inside = false;
      for (fs::path above = file.parent_path(); above != folder && !above.empty() && !inside;
           above = above.parent_path())
        inside = is_log(above);
      if (!inside && !take_file(file)) ++found_.passed_over;
    }
  }

  /// Returns whether a folder as a whole is a log, and takes it at the first time.
  bool is_log(const fs::path& folder) {
    const auto [known, is_new] = folders_.try_emplace(folder, false);
    if (!is_new) return known->second;
    const FileFormat* format = recognized_folder(names_in(folder));
    if (format != nullptr) found_.logs.push_back({format, {folder.string()}});
    return known->second = format != nullptr;
  }

  bool take_file(const fs::path& file) {
    const std::string head = read_head(file.string(), kHeadBytes);
    if (holds_runs(head)) {
      found_.runs.push_back(file.string());
      return true;
    }
    const FileFormat* format = recognized_log(head, file.filename().string());
    if (format == nullptr) return false;
    if (format->name == "tensorboard") {
      FoundLog& log = events_[file.parent_path()];
      log.format = format;
      log.files.push_back(file.string());
    } else if (const auto checkpoint = checkpoint_of(file)) {
      take_checkpoint(file, *checkpoint, format);
    } else {
      found_.logs.push_back({format, {file.string()}});
    }
    return true;
  }

  /// Keeps the newest of the checkpoints of a training.
  void take_checkpoint(const fs::path& file, std::int64_t number, const FileFormat* format) {
    const fs::path training = file.parent_path().parent_path() / file.filename();
    const auto [known, is_new] = states_.try_emplace(training, number, FoundLog{});
    if (!is_new && known->second.first > number) return;
    known->second = {number, FoundLog{format, {file.string()}}};
  }

  FoundFiles found_;
  std::map<fs::path, bool> folders_;                              // whether they are a log
  std::map<fs::path, FoundLog> events_;                           // by folder
  std::map<fs::path, std::pair<std::int64_t, FoundLog>> states_;  // by training
};

}  // namespace

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  auto entry = fs::recursive_directory_iterator(
      folder, fs::directory_options::skip_permission_denied, ignored);
  for (; entry != fs::recursive_directory_iterator(); entry.increment(ignored)) {
    if (ignored) break;
    const bool hidden = entry->path().filename().string().starts_with('.');
    if (hidden && entry->is_directory(ignored)) entry.disable_recursion_pending();
    if (hidden || entry->is_symlink(ignored) || !entry->is_regular_file(ignored)) continue;
    if (files.size() >= kMostFilesBelow)
      throw Error(ExitCode::bad_input,
                  fmt::format("{} has more than {} files; name those that are logs",
                              printable(folder.string()), kMostFilesBelow));
    files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

FoundFiles find_logs(const std::vector<std::string>& names) {
  LogFinder finder;
  for (const std::string& name : names) finder.take_named(name);
  return finder.found();
}

}  // namespace lapcast
