#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "remote/patience.h"

namespace lapcast {

/// Owns a program that this process started, with its three streams: a local command, or the ssh
/// that carries a command to another machine. The program has no terminal and is told to end (TERM)
/// when this process dies, and by the destructor. A program that has to print a marker is ended if
/// the other machine is silent for too long before the marker (ContactWatch).
class RunningCommand {
 public:
  /// Limits how much stdout is kept until take_output().
  static constexpr std::size_t kMostBytes = 64 << 20;

  /// Starts a program, which is looked up on PATH. Drops stdout up to and including the line
  /// `marker`, unless that is empty. The reason says why it cannot be started.
  static Result<RunningCommand> start(const std::vector<std::string>& arguments,
                                      std::string marker = "");

  /// Queues text for stdin; wait() passes it on. Call it before close_input().
  void write(std::string_view text);
  /// Queues the pieces that `next` returns until one is empty, so that a long input is never in
  /// memory as a whole. Write no more until all has been passed on.
  void write_pieces(std::function<std::string()> next);
  /// Returns how many queued bytes were not passed on yet.
  std::size_t unsent() const { return input_.size() - passed_on_; }
  /// Closes stdin after what was written.
  void close_input();
  /// Passes on input and takes in output until something has come on stdout, the program has ended,
  /// the time is over, or `wake_fd` is readable; -1 = none. Returns at once, without checking the
  /// program, while take_output() has not taken earlier output.
  void wait(std::chrono::milliseconds at_most, int wake_fd = -1);
  /// Returns what came on stdout since the last call, after the marker.
  std::string take_output();
  const std::string& error() const { return error_; }  // the end of stderr so far
  bool marker_seen() const { return marker_.empty(); }
  /// Says why the program was ended before the marker came.
  enum class NoContact {
    none,
    silent,  // the other end was silent for too long
    flood,   // more than kMostBytes came instead of the marker
  };
  NoContact no_contact() const { return no_contact_; }
  /// Returns whether the program has ended and all its output was read.
  bool ended() const { return status_.has_value(); }
  /// Returns the exit status, or 128 + the signal that ended the program. Must be called only when
  /// ended() is true.
  int status() const { return *status_; }
  /// Asks the program and its group to end (TERM), or ends them at once (KILL).
  void end(bool at_once = false) { process_.end(at_once); }

 private:
  RunningCommand(pid_t pid, FileDescriptor input, FileDescriptor output, FileDescriptor error,
                 std::string marker);
  void pass_on_input();
  bool read_output();
  void read_error();
  void drop_until_marker();
  void look_at_contact();
  void give_up(NoContact why);
  void reap();

  /// Owns the process, and ends it when it is destroyed before it was reaped.
  struct Process {
    explicit Process(pid_t process) : pid(process), exit_fd(open_process(process)) {}
    Process(Process&& other) noexcept
        : pid(std::exchange(other.pid, -1)), exit_fd(std::move(other.exit_fd)) {}
    Process& operator=(Process&& other) noexcept {
      std::swap(pid, other.pid);
      std::swap(exit_fd, other.exit_fd);
      return *this;
    }
    ~Process();
    void end(bool at_once) const;

    pid_t pid;               // -1 when it was reaped or moved away
    FileDescriptor exit_fd;  // readable when the process has ended
  };

  FileDescriptor input_fd_;
  FileDescriptor output_fd_;
  FileDescriptor error_fd_;
  bool input_ends_ = false;
  std::string marker_;                   // still to come
  std::optional<ContactWatch> contact_;  // until the marker came
  NoContact no_contact_ = NoContact::none;
  std::size_t dropped_ = 0;  // bytes that came before the marker
  std::string input_;
  std::size_t passed_on_ = 0;                     // of input_
  std::function<std::string()> next_piece_ = {};  // empty = there is none
  std::string output_;
  std::string error_;
  std::optional<int> status_;
  Process process_;  // destroyed first, while its streams are still open
};

}  // namespace lapcast
