#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "lap/lap_log.h"
#include "lap/lap_log_reader.h"
#include "posix/files.h"

namespace lapcast {

/// Collects the signs of the Python hook: empty files hook.NAME beside the logs, where NAME is
/// `python` once an interpreter has loaded it, or a library that it attached to.
struct HookSigns {
  bool expected = false;  // the hook was put on the program's PYTHONPATH
  bool loaded = false;
  bool answers_pauses = false;  // a process answers requests for a pause
  bool compiles = false;        // torch.compile has started
  bool raised = false;          // an exception has ended the work of a process, or will
  std::set<std::string, std::less<>> libraries = {};

  /// Returns whether the hook is attached to a library: while that prepares its work, laps may
  /// still come, and it may print counters of its own.
  bool may_report() const { return !libraries.empty(); }
  /// Returns how far a program without laps has got: "Python runs, torch is loaded, no step yet".
  /// Returns "" where no hook was expected and none was loaded.
  std::string text(bool has_ended) const;
};

/// Reads the folder that a running program and its children write their lap logs into, while the
/// logs grow. Limits what a hostile program can do: reads only regular files named laps.*.log, at
/// most kMaxFiles, at most limit_bytes in all, and keeps only what KeptLines allows.
class LapFolder {
 public:
  static constexpr std::size_t kMaxFiles = 4096;

  LapFolder(std::filesystem::path folder, std::int64_t limit_bytes);
  LapFolder(const LapFolder&) = delete;
  LapFolder& operator=(const LapFolder&) = delete;

  /// Refuses events with a time after the moment when they are read: they cannot have happened yet.
  /// `started_ns` is the start of the run on this machine, and `host` is this machine's name in lap
  /// logs.
  void set_start(MonotonicNs started_ns, std::string host);
  /// Sets whether the hook is on the program's PYTHONPATH, so that its absence means something.
  void expect_hook(bool expected) { hook_.expected = expected; }

  /// Reads new data for at most 50 ms; returns whether there was any.
  bool poll();
  /// Reads the rest. Must be called when no more will come.
  void finish();
  /// Returns whether the logs exceed the limit, beyond which nothing is read. A dropped line counts
  /// as 64 bytes more, and a lap as at least 20, so that many short lines take neither much time
  /// nor much memory.
  bool over_limit() const { return room() <= 0; }

  /// Returns the laps so far, merged over the ranks, without the machine's loads; valid until the
  /// next poll().
  const LapLog& log() const;
  /// Returns the signs of the hook as of the last poll().
  const HookSigns& hook() const { return hook_; }
  /// Returns the text of each log, verbatim, as far as it is kept. Takes time and memory.
  std::vector<std::string> texts() const;
  /// Returns one line for each kind of data that was not kept or not read, with the reason. Must be
  /// called after finish().
  std::vector<std::string> warnings() const;

  /// Asks the program for a validation on that many samples (docs/lap-log.md).
  void ask_for_validation(std::int64_t samples) const;
  /// Asks the program to wait for its devices and then to pause (docs/lap-log.md). Returns false
  /// without asking if it does not answer such requests.
  bool ask_for_pause();
  /// Returns since when its devices have been idle, once all its processes that use one have
  /// answered. Must be called after ask_for_pause().
  std::optional<MonotonicNs> pause_answer() const;
  /// Ends the request: the program continues as soon as it runs.
  void end_pause() const;

 private:
  struct File {
    std::string name;
    FileDescriptor fd;  // open for the first files; others are opened when they are read
    ino_t inode = 0;
    std::int64_t bytes = 0;  // read
    bool given_up = false;   // nothing more of it is read
    LapLogReader reader;

    bool holds_loads() const { return !reader.log().loads.empty(); }
  };
  void find_new_files();
  void note_sign(std::string_view name);
  void add_file(const std::filesystem::path& path);
  bool read_piece(File& file);
  bool read_piece(File& file, int fd);
  std::int64_t room() const;
  std::int64_t unread_bytes() const;
  void put(const char* name, std::int64_t number) const;
  std::vector<std::int64_t> processes_on_devices() const;

  std::filesystem::path folder_;
  std::int64_t limit_bytes_;
  std::int64_t total_bytes_ = 0;
  std::optional<std::filesystem::file_time_type> folder_time_;  // of the last look
  std::optional<RunWindow> window_;
  KeptLines kept_;
  std::vector<File> files_;
  std::size_t next_file_ = 0;              // whose turn it is
  std::unordered_set<std::string> names_;  // of the log files that were found
  HookSigns hook_;
  std::size_t unopened_ = 0;
  std::int64_t pauses_asked_ = 0;
  mutable LapLog merged_;
  mutable bool merged_is_old_ = true;
};

}  // namespace lapcast
