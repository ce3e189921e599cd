#include "remote/earlier_attempt.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "remote/agent_protocol.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

/// Returns the elapsed time of the last progress in a record.
Seconds time_in(const fs::path& record_file) {
  std::ifstream record(record_file);
  Seconds time{0};
  for (std::string line; std::getline(record, line);) {
    if (const auto progress = parse_progress(line)) time = progress->elapsed;
  }
  return time;
}

/// Returns the folders of the same run: the folder itself, and ID.* where its name is ID or ID.*.
std::vector<fs::path> lives_of(const fs::path& record_folder) {
  const std::string name = record_folder.filename().string();
  const std::string id = name.substr(0, name.find('.'));
  std::vector<fs::path> lives{record_folder};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(record_folder.parent_path(), error))
    if (entry.path() != record_folder && entry.path().filename().string().starts_with(id + "."))
      lives.push_back(entry.path());
  return lives;
}

bool is_folder(const fs::path& path, timespec& written) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  written = status.st_mtim;
  return true;
}

}  // namespace

std::optional<EarlierAttempt> earlier_attempt(const fs::path& record_folder) {
  std::optional<EarlierAttempt> newest;
  timespec newest_time{};
  for (const fs::path& life : lives_of(record_folder)) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(life, error)) {
      const std::string name = entry.path().filename().string();
      const bool of_program = name.starts_with("lapcast-run-");
      const fs::path run_dir = of_program ? entry.path() / "run" : entry.path();
      timespec written{};
      if ((!of_program && name != "inherited") || !is_folder(run_dir, written)) continue;
      if (newest && std::pair(written.tv_sec, written.tv_nsec) <=
                        std::pair(newest_time.tv_sec, newest_time.tv_nsec))
        continue;
      newest = EarlierAttempt{run_dir, time_in(life / "record")};
      newest_time = written;
    }
  }
  return newest;
}

}  // namespace lapcast
