#include "probe/lap_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "core/units.h"
#include "lap/lap_log_format.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr MonotonicNs kLongestPoll = 50'000'000;
constexpr std::size_t kPiece = 256 * 1024;       // bytes of a file, then the next file has its turn
constexpr std::size_t kMostOpen = 256;           // files that stay open
constexpr std::size_t kMostEntries = 64 * 1024;  // entries of the folder that are looked at
constexpr std::int64_t kLeastLapBytes = 20;      // a lap counts as at least this, on average
constexpr std::int64_t kDroppedLineBytes = 64;   // a dropped line counts as this much more

constexpr std::string_view kSign = "hook.";  // begins the names of the hook's empty files
constexpr std::array<std::string_view, 8> kLibraries{
    "torch",     "tensorflow",        "keras",        "tf_keras",
    "lightning", "pytorch_lightning", "transformers", "accelerate"};

bool is_log_name(const std::string& name) {
  return name.starts_with("laps.") && name.ends_with(".log");
}

/// Opens a log. Returns no open descriptor for what is not a regular file: a pipe or a link must
/// not stall or mislead the reader.
FileDescriptor open_log(const fs::path& file, struct stat& info) {
  FileDescriptor fd(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd.is_open() && (fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))) fd.reset();
  return fd;
}

/// Returns "1200 lines (3.1 MiB)"; only the size if just the rest of a long line was dropped.
std::string format_lines(const LineCount& count) {
  const std::string bytes = format_bytes(count.bytes);
  return count.lines == 0 ? bytes : fmt::format("{} lines ({})", count.lines, bytes);
}

}  // namespace

std::string HookSigns::text(bool has_ended) const {
  if (!loaded)
    return expected ? "no Python interpreter loaded the hook (PYTHONPATH overwritten, -I, -E or "
                      "-S, a Python before 3.9, or no Python program)"
                    : "";
  if (libraries.empty())
    return has_ended ? "Python ran without a library that the hook knows"
                     : "Python runs, no library that the hook knows is loaded yet";
  const std::string_view are = libraries.size() == 1 ? "is" : "are";
  const std::string_view were = libraries.size() == 1 ? "was" : "were";
  const std::string names = fmt::format("{}", fmt::join(libraries, ", "));
  return has_ended ? fmt::format("Python ran, {} {} loaded, no step was seen", names, were)
                   : fmt::format("Python runs, {} {} loaded, no step yet", names, are);
}

LapFolder::LapFolder(fs::path folder, std::int64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

void LapFolder::set_start(MonotonicNs started_ns, std::string host) {
  window_ = RunWindow{started_ns, started_ns, std::move(host)};
}

void LapFolder::add_file(const fs::path& path) {
  if (names_.size() >= kMostEntries || !names_.insert(path.filename().string()).second) return;
  struct stat info {};
  FileDescriptor fd = files_.size() < kMaxFiles ? open_log(path, info) : FileDescriptor();
  if (!fd.is_open()) {
    ++unopened_;
    return;
  }
  if (files_.size() >= kMostOpen) fd.reset();
  files_.push_back(
      {path.filename().string(), std::move(fd), info.st_ino, 0, false, LapLogReader(kept_)});
}

void LapFolder::find_new_files() {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(folder_, error);
  if (error || time == folder_time_) return;
  folder_time_ = time;
  std::size_t entries = 0;
  for (auto entry = fs::directory_iterator(folder_, error);
       !error && entry != fs::directory_iterator() && ++entries <= kMostEntries;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (is_log_name(name)) add_file(entry->path());
    if (name.starts_with(kSign)) note_sign(std::string_view(name).substr(kSign.size()));
  }
}

void LapFolder::note_sign(std::string_view name) {
  if (name == "python") hook_.loaded = true;
  if (name == "compile") hook_.compiles = true;
  if (name == "pause") hook_.answers_pauses = true;
  if (name == "raised") hook_.raised = true;
  if (std::ranges::find(kLibraries, name) != kLibraries.end()) hook_.libraries.emplace(name);
}

/// Reads up to kPiece bytes. Returns false at the present end of the file.
bool LapFolder::read_piece(File& file) {
  if (file.given_up || over_limit()) return false;
  if (file.fd.is_open()) return read_piece(file, file.fd.get());
  struct stat info {};
  const FileDescriptor fd = open_log(folder_ / file.name, info);
  return fd.is_open() && info.st_ino == file.inode && read_piece(file, fd.get());
}

bool LapFolder::read_piece(File& file, int fd) {
  std::array<char, 64 * 1024> buffer;
  for (std::size_t taken = 0; taken < kPiece && !over_limit();) {
    const auto wanted = std::min(buffer.size(), static_cast<std::size_t>(room()));
    const ssize_t got = pread(fd, buffer.data(), wanted, file.bytes);
    if (got <= 0) return taken > 0;
    if (window_) {  // what was read has happened by now
      window_->end_ns = monotonic_ns();
      file.reader.set_window(*window_);
    }
    file.reader.feed({buffer.data(), static_cast<std::size_t>(got)});
    file.bytes += got;
    total_bytes_ += got;
    taken += static_cast<std::size_t>(got);
    file.given_up = file.reader.ended();
    if (file.given_up || static_cast<std::size_t>(got) < buffer.size()) return true;
  }
  return true;
}

/// Returns how many more bytes may be read.
std::int64_t LapFolder::room() const {
  const std::int64_t dropped = kept_.dropped_damage().lines + kept_.dropped_events().lines;
  const LineCount& laps = kept_.laps();
  return limit_bytes_ - total_bytes_ - dropped * kDroppedLineBytes -
         std::max<std::int64_t>(0, laps.lines * kLeastLapBytes - laps.bytes);
}

bool LapFolder::poll() {
  const MonotonicNs begun = monotonic_ns();
  find_new_files();
  bool any = false;
  for (std::size_t quiet = 0; quiet < files_.size(); ++next_file_) {
    const bool more = read_piece(files_[next_file_ % files_.size()]);
    quiet = more ? 0 : quiet + 1;
    any = any || more;
    if (any && monotonic_ns() - begun > kLongestPoll) break;
  }
  merged_is_old_ = merged_is_old_ || any;
  return any;
}

void LapFolder::finish() {
  folder_time_.reset();
  while (poll()) {
  }
  for (File& file : files_) file.reader.finish();
  merged_is_old_ = true;
}

const LapLog& LapFolder::log() const {
  std::vector<const LapLog*> logs;
  for (const File& file : files_)
    if (!file.holds_loads()) logs.push_back(&file.reader.log());
  if (logs.size() == 1) return *logs.front();
  if (merged_is_old_) {
    merged_ = merge_ranks_of(logs);
    merged_is_old_ = false;
  }
  return merged_;
}

std::vector<std::string> LapFolder::texts() const {
  std::vector<std::string> result;
  for (const bool is_load : {false, true})
    for (const File& file : files_)
      if (file.holds_loads() == is_load && file.reader.has_text())
        result.push_back(file.reader.text());
  return result;
}

std::int64_t LapFolder::unread_bytes() const {
  std::int64_t unread = 0;
  for (const File& file : files_) {
    struct stat info {};
    const bool found = file.fd.is_open() ? fstat(file.fd.get(), &info) == 0
                                         : lstat((folder_ / file.name).c_str(), &info) == 0;
    if (found && info.st_size > file.bytes) unread += info.st_size - file.bytes;
  }
  return unread;
}

std::vector<std::string> LapFolder::warnings() const {
  std::vector<std::string> warnings;
  const LineCount& events = kept_.dropped_events();
  const LineCount& damage = kept_.dropped_damage();
  if (events.lines > 0)
    warnings.push_back(fmt::format(
        "lap logs: {} that are not laps were not read: more than {} and {} bytes for each byte of "
        "laps; what they measured may be part of the laps after them",
        format_lines(events), format_bytes(KeptLines::kEventBytes),
        KeptLines::kEventBytesPerLapByte));
  if (damage.bytes > 0)
    warnings.push_back(fmt::format("lap logs: {} of damage were not kept; at most {} are",
                                   format_lines(damage), format_bytes(KeptLines::kDamageBytes)));
  if (const std::int64_t unread = unread_bytes(); unread > 0)
    warnings.push_back(fmt::format(
        "lap logs: {} were not read: {}", format_bytes(unread),
        over_limit() ? "the lap logs of a run have at most " + format_bytes(limit_bytes_)
                     : "they follow what is not a lap log"));
  if (unopened_ > 0)
    warnings.push_back(
        fmt::format("lap logs: {} files were not read: no regular file, not "
                    "readable, or one of more than {}",
                    unopened_, kMaxFiles));
  return warnings;
}

/// Puts a file with a number into the folder in one step.
void LapFolder::put(const char* name, std::int64_t number) const {
  const fs::path draft = folder_ / fmt::format("{}.new", name);
  std::ofstream(draft) << number << '\n';
  std::error_code ignored;
  fs::rename(draft, folder_ / name, ignored);
}

void LapFolder::ask_for_validation(std::int64_t samples) const {
  put("validate", samples);
}

/// Returns the process numbers, as the processes see them, of those still running that use a
/// device.
std::vector<std::int64_t> LapFolder::processes_on_devices() const {
  std::vector<std::int64_t> processes;
  for (const File& file : files_)
    if (const LapLog& log = file.reader.log(); log.on_device && log.hello && !log.said_bye)
      processes.push_back(log.hello->pid);
  return processes;
}

bool LapFolder::ask_for_pause() {
  const LapLog& merged = log();
  if (!hook_.answers_pauses || !merged.on_device || !merged.hello || merged.hello->world_size > 1)
    return false;
  put("pause", ++pauses_asked_);
  return true;
}

std::optional<MonotonicNs> LapFolder::pause_answer() const {
  MonotonicNs since = 0;
  for (const std::int64_t process : processes_on_devices()) {
    struct stat info {};
    const FileDescriptor fd =
        open_log(folder_ / fmt::format("paused.{}.{}", pauses_asked_, process), info);
    std::array<char, 32> bytes;
    const ssize_t got = fd.is_open() ? read(fd.get(), bytes.data(), bytes.size()) : 0;
    std::string_view text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    const auto at =
        text.ends_with('\n') ? parse_count(text.substr(0, text.size() - 1)) : std::nullopt;
    if (!at || *at > monotonic_ns()) return std::nullopt;
    since = std::max(since, *at);
  }
  return since > 0 ? std::optional(since) : std::nullopt;
}

void LapFolder::end_pause() const {
  std::error_code ignored;
  fs::remove(folder_ / "pause", ignored);
}

}  // namespace lapcast
