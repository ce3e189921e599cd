#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "lap/lap_log.h"

namespace lapcast {

/// Keeps parsed lap logs of runs up to a limit, so that a command parses each once. Several threads
/// may use it at once.
class KeptLogs {
 public:
  /// Limits the text of all kept logs together, and that of each: the laps of a day are never kept.
  /// In memory a log takes two to three times as much as its text.
  static constexpr std::size_t kMostBytes = 8 << 20;
  static constexpr std::size_t kMostOfOne = 1 << 20;

  /// Identifies a log by its run and by a hash of all that the log is parsed from.
  struct Key {
    std::size_t hash = 0;
    std::string run;
    friend std::strong_ordering operator<=>(const Key&, const Key&) = default;
  };

  /// Returns the log that is kept under a key, or null.
  std::shared_ptr<const LapLog> find(const Key& key) const;
  /// Keeps a log of at most kMostOfOne bytes of text, and drops others if room is needed.
  void keep(Key key, std::shared_ptr<const LapLog> log, std::size_t bytes);

 private:
  struct Kept {
    std::shared_ptr<const LapLog> log;
    std::size_t bytes = 0;
  };

  // A caller that does not get it at once goes on without the logs: in a forked process, a thread
  // that does not exist there may hold it forever.
  mutable std::mutex mutex_;
  std::map<Key, Kept> logs_;
  std::size_t bytes_ = 0;  // of the text of all kept logs, and for each sizeof(LapLog)
};

}  // namespace lapcast
