#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "remote/patience.h"

namespace lapcast {

/// A program that was started from here, with its three streams: a command of this machine, or the
/// ssh that carries one of another. It gets no terminal, is told to end (TERM) when this process
/// dies, and does so in the destructor. One that shall print a marker is ended when the other end
/// is silent for too long before that (ContactWatch). Not copyable.
class RunningCommand {
 public:
  /// What is kept of stdout that nobody takes, and of stderr, at most.
  static constexpr std::size_t kMostBytes = 64 << 20;

  /// `arguments[0]` is looked up on PATH. Everything on stdout up to and including the line
  /// `marker` is dropped; empty = nothing is. The reason says why it cannot be started.
  static Result<RunningCommand> start(const std::vector<std::string>& arguments,
                                      std::string marker = "");
  RunningCommand(RunningCommand&& other) noexcept;
  RunningCommand& operator=(RunningCommand&& other) noexcept;
  ~RunningCommand();

  /// Puts text on its way to stdin; it is passed on while wait() runs. Nothing after close_input().
  void write(std::string_view text);
  void close_input();  // after what was written
  /// Passes on input and takes in output, until something has come on stdout, it has ended, or so
  /// long is over. wake_fd: also until that is readable; -1 = none.
  void wait(std::chrono::milliseconds at_most, int wake_fd = -1);
  /// What came on stdout since the last call, after the marker.
  std::string take_output();
  const std::string& error() const { return error_; }  // the end of stderr so far
  bool marker_seen() const { return marker_.empty(); }
  /// Why it was ended before the marker came.
  enum class NoContact {
    none,
    silent,  // the other end was silent for too long
    flood,   // more than kMostBytes came instead of the marker
  };
  NoContact no_contact() const { return no_contact_; }
  /// True when it has ended and all its output was taken in.
  bool ended() const { return status_.has_value(); }
  /// After ended(): its exit status, or 128 and the signal that ended it.
  int status() const { return *status_; }
  /// Asks it to end (TERM, to its process group), or ends it at once.
  void end(bool at_once = false);

 private:
  RunningCommand(pid_t pid, int pid_fd, int input, int output, int error, std::string marker);
  void swap(RunningCommand& other) noexcept;
  void pass_on_input();
  bool read_output();
  void read_error();
  void drop_until_marker();
  void look_at_contact();
  void give_up(NoContact why);
  void reap();

  pid_t pid_ = -1;
  int pid_fd_ = -1;
  int input_fd_ = -1;
  int output_fd_ = -1;
  int error_fd_ = -1;
  bool input_ends_ = false;
  std::string marker_;                   // still to come
  std::optional<ContactWatch> contact_;  // until the marker came
  NoContact no_contact_ = NoContact::none;
  std::size_t dropped_ = 0;  // bytes that came before the marker
  std::string input_;
  std::size_t passed_on_ = 0;  // of input_
  std::string output_;
  std::string error_;
  std::optional<int> status_;
};

}  // namespace lapcast
