#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lap/lap_log.h"
#include "lap/lap_log_reader.h"

namespace lapcast {

/// The folder that a running program and its children write their lap logs into, read while they
/// grow. What hostile programs put there is bounded: regular files named laps.*.log only, at most
/// kMaxFiles, and limit_bytes in all.
class LapFolder {
 public:
  static constexpr std::size_t kMaxFiles = 4096;

  LapFolder(std::filesystem::path folder, std::int64_t limit_bytes);
  ~LapFolder();
  LapFolder(const LapFolder&) = delete;
  LapFolder& operator=(const LapFolder&) = delete;

  /// Reads what is new; true when there was something.
  bool poll();
  /// Reads the rest and says that no more will come.
  void finish();
  /// True when the logs grew past the limit: nothing beyond it is read.
  bool over_limit() const { return total_bytes_ >= limit_bytes_; }

  /// The laps so far, merged over the ranks; valid until the next poll().
  const LapLog& log() const;
  /// The text of each log, verbatim.
  std::vector<std::string> texts() const;

  /// Asks a program that can for a validation on so many samples (docs/lap-log.md).
  void ask_for_validation(std::int64_t samples) const;

 private:
  struct File {
    std::string name;
    int fd = -1;
    std::string text;
    LapLogReader reader;
  };
  void find_new_files();
  bool read_more(File& file);

  std::filesystem::path folder_;
  std::int64_t limit_bytes_;
  std::int64_t total_bytes_ = 0;
  std::int64_t folder_time_ns_ = -1;  // modification time at the last look
  std::vector<File> files_;
  mutable LapLog merged_;
  mutable bool merged_is_old_ = true;
};

}  // namespace lapcast
