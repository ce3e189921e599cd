#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "posix/spawn.h"
#include "probe/interrupt.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

struct ExitStatus {
  int status = 0;  // when signal == 0
  int signal = 0;  // the signal that ended it; 0 = none
};

/// Says how a program's input and output are connected, and which process group it joins.
struct Connection {
  bool output_on_terminal = false;         // stdout is a terminal, so that it comes line by line
  bool inherits_input = false;             // it has this process's standard input; else none
  std::optional<pid_t> joined_group = {};  // that it joins; none = it leads its own
};

/// Describes a process that outlived the program that started it.
struct LeftProcess {
  std::string name;
  std::vector<std::string> arguments;  // of the program that it runs
};

/// Owns a running program, with its output in two non-blocking pipes. The program is killed when
/// this process dies; the destructor kills and reaps what is left of it.
class ChildProcess {
 public:
  /// Starts the program of a spec after setting its streams and group. The reason says why it
  /// cannot be started.
  static Result<std::unique_ptr<ChildProcess>> start(SpawnSpec spec, const Connection& how = {});
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  /// Returns a descriptor that is readable when the leader has ended.
  int exit_fd() const { return exit_fd_.get(); }
  int output_fd() const { return output_fd_.get(); }
  int error_fd() const { return error_fd_.get(); }

  /// Sends a signal to every process of the program's group. In a group that it joined, only
  /// descendants of this process get it.
  void signal_group(int signal) const;
  /// Sets whether processes that outlive the program may live on; by default they are killed.
  void let_rest_live(bool lives) { rest_lives_ = lives; }
  /// Returns the program's status once it has ended. Its process number is not reused before
  /// reap(), so that an Interrupt can tell its signals from others'.
  std::optional<ExitStatus> status() const;
  /// Reaps the program. Must be called after it has ended.
  void reap();
  /// Waits up to `at_most` for the processes that outlive the program, which this process inherited
  /// as subreaper, to end by themselves. Then kills and reaps the rest, including those that left
  /// the group, and returns them. Does nothing if they may live on. Must be called after reap().
  std::vector<LeftProcess> end_rest(Seconds at_most = Seconds{0});
  /// Returns the CPU time and memory of all reaped processes.
  const Usage& usage() const { return usage_; }

 private:
  std::vector<pid_t> rest_after(Seconds at_most);
  ChildProcess(pid_t pid, std::optional<pid_t> joined_group, FileDescriptor output_fd,
               FileDescriptor error_fd);
  pid_t pid_;
  std::optional<pid_t> joined_group_;
  FileDescriptor exit_fd_;
  FileDescriptor output_fd_;
  FileDescriptor error_fd_;
  bool reaped_ = false;
  bool rest_lives_ = false;
  Usage usage_;
};

/// Keeps the beginning and the end of what a program prints.
class OutputCapture {
 public:
  static constexpr std::size_t kHead = 64 * 1024;   // bytes kept of the beginning
  static constexpr std::size_t kTail = 192 * 1024;  // bytes kept of the end, at least

  void append(std::string_view bytes);
  /// Returns the beginning and the end of the output. A line between them says how much was
  /// dropped, if anything was.
  std::string text() const;

 private:
  std::string head_;
  std::string tail_;  // up to twice kTail before it is cut
  std::int64_t total_ = 0;
};

enum class Stream { output, error };

/// Shows a watched program: its output and its progress. Only one process uses it.
class ProgramView {
 public:
  virtual ~ProgramView() = default;
  /// Passes on as much of the program's output as possible without waiting. Returns the number of
  /// bytes taken; takes all of them when nobody reads them any more.
  virtual std::size_t write(Stream stream, std::string_view bytes) = 0;
  /// Returns a descriptor that is writable when write() can go on.
  virtual int fd(Stream stream) const = 0;
  /// Returns the process group that may read the terminal on the program's stdin; none if stdin is
  /// not a terminal.
  virtual std::optional<pid_t> terminal_group() const { return std::nullopt; }
  virtual void show(const ProbeProgress& progress) = 0;
  virtual void warn(const std::string& what) = 0;
  /// Clears what must not stay on the screen after the program's end.
  virtual void end() = 0;
};

/// Returns how to connect a program: with the user's own stdin and terminal group if there is a
/// view.
Connection connection_of(const ProgramView* view, bool output_on_terminal);

/// Receives what was read from a stream of a program.
using OutputListener = std::function<void(Stream stream, std::string_view bytes)>;

/// Captures what a running program prints, and passes it on to a view if there is one. Never waits
/// for the reader of the view: the program waits instead, as it would for its own terminal.
class ProgramOutput {
 public:
  explicit ProgramOutput(ProgramView* view, OutputListener listener = {})
      : view_(view), listener_(std::move(listener)) {}
  /// Reads from the pipes of a child, which must outlive this object.
  void open(const ChildProcess& child);
  /// Adds the descriptors that a poll loop has to wait for.
  void add_to(std::vector<pollfd>& fds) const;
  /// Reads and passes on what has come, at most 4 MiB per stream, so that a flood does not keep the
  /// caller from its other work.
  void pump();
  /// Passes on the rest after the program's end, and waits for the view's reader until an
  /// interrupt.
  void finish(const Interrupt& interrupt);
  /// Leaves behind a process that passes on the output of processes that outlived the program, as
  /// long as one of them has it open. Must be called after finish().
  void go_on_without_us() const;
  /// Returns the part of a stream that was kept; see OutputCapture::text().
  std::string text(Stream stream) const {
    return sources_[stream == Stream::output ? 0 : 1].capture.text();
  }

 private:
  struct Source {
    Stream stream;
    int fd = -1;  // -1 = at its end
    OutputCapture capture;
    std::string pending;  // read, but not passed on yet
  };
  bool pass_on(Source& source);
  bool pump(Source& source);

  ProgramView* view_;
  OutputListener listener_;
  std::array<Source, 2> sources_{{{.stream = Stream::output}, {.stream = Stream::error}}};
};

/// Runs a program that is not measured, such as one that writes data, to its end and returns what
/// it printed on stdout. The program gets TERM at the first interrupt, and KILL 5 s later or at the
/// second interrupt. The reason says how it failed, with the last line that it printed on stderr.
/// The listener receives both streams while the program runs.
Result<std::string> output_of_helper(const std::vector<std::string>& arguments,
                                     const Interrupt& interrupt, OutputListener listener = {});

}  // namespace lapcast
