#include "probe/lap_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace lapcast {
namespace {

bool is_log_name(const std::string& name) {
  return name.starts_with("laps.") && name.ends_with(".log");
}

/// -1 for what is not a regular file: a pipe or a link must not stall or mislead the reader.
int open_log(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat info {};
  if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
    close(fd);
    return -1;
  }
  return fd;
}

}  // namespace

LapFolder::LapFolder(std::filesystem::path folder, std::int64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

LapFolder::~LapFolder() {
  for (const File& file : files_)
    if (file.fd >= 0) close(file.fd);
}

void LapFolder::find_new_files() {
  struct stat info {};
  if (stat(folder_.c_str(), &info) != 0) return;
  const std::int64_t time = info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
  if (time == folder_time_ns_) return;
  folder_time_ns_ = time;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    const auto same = [&](const File& file) { return file.name == name; };
    if (!is_log_name(name) || files_.size() >= kMaxFiles) continue;
    if (std::any_of(files_.begin(), files_.end(), same)) continue;
    files_.push_back({name, open_log(entry.path()), {}, LapLogReader()});
  }
}

bool LapFolder::read_more(File& file) {
  bool any = false;
  char buffer[64 * 1024];
  while (file.fd >= 0 && !over_limit()) {
    const auto room = static_cast<std::size_t>(limit_bytes_ - total_bytes_);
    const ssize_t got = read(file.fd, buffer, std::min(sizeof buffer, room));
    if (got <= 0) break;
    const std::string_view bytes(buffer, static_cast<std::size_t>(got));
    file.text.append(bytes);
    file.reader.feed(bytes);
    total_bytes_ += got;
    any = true;
    if (bytes.size() < sizeof buffer) break;
  }
  return any;
}

bool LapFolder::poll() {
  find_new_files();
  bool any = false;
  for (File& file : files_) any = read_more(file) || any;
  merged_is_old_ = merged_is_old_ || any;
  return any;
}

void LapFolder::finish() {
  folder_time_ns_ = -1;
  while (poll()) {
  }
  for (File& file : files_) file.reader.finish();
  merged_is_old_ = true;
}

const LapLog& LapFolder::log() const {
  if (files_.size() == 1) return files_.front().reader.log();
  if (merged_is_old_) {
    std::vector<LapLog> logs;
    for (const File& file : files_) logs.push_back(file.reader.log());
    merged_ = merge_ranks(logs);
    merged_is_old_ = false;
  }
  return merged_;
}

std::vector<std::string> LapFolder::texts() const {
  std::vector<std::string> result;
  for (const File& file : files_)
    if (!file.text.empty()) result.push_back(file.text);
  return result;
}

void LapFolder::ask_for_validation(std::int64_t samples) const {
  const std::filesystem::path draft = folder_ / "validate.new";
  std::ofstream(draft) << samples << '\n';
  std::error_code ignored;
  std::filesystem::rename(draft, folder_ / "validate", ignored);
}

}  // namespace lapcast
