#include "probe/helper_program.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include "core/units.h"
#include "probe/child_process.h"
#include "probe/clock.h"
#include "probe/program_output.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

constexpr Seconds kGrace{5};

/// Follows a helper from its start to its last output.
class Helper {
 public:
  Helper(ChildProcess& child, const Interrupt& interrupt, std::optional<Seconds> limit)
      : child_(child), interrupt_(interrupt), output_(nullptr), started_ns_(monotonic_ns()) {
    if (limit) kill_after_ = *limit;
    output_.open(child);
  }

  ExitStatus run() {
    std::optional<ExitStatus> status;
    while (!status) {
      wait();
      output_.pump();
      stop_if_wanted();
      status = child_.reap();
    }
    output_.finish(interrupt_);
    return *status;
  }
  bool timed_out() const { return killed_ && interrupts_ == 0; }
  std::string text(Stream stream) const { return output_.text(stream); }

 private:
  void wait() const {
    std::vector<pollfd> fds{{child_.exit_fd(), POLLIN, 0},
                            {interrupts_ == 0 ? interrupt_.fd() : -1, POLLIN, 0}};
    output_.add_to(fds);
    poll(fds.data(), fds.size(), 100);
  }

  void stop_if_wanted() {
    const Seconds elapsed = from_ns(monotonic_ns() - started_ns_);
    if (interrupt_.count() > interrupts_) {
      interrupts_ = interrupt_.count();
      child_.signal_group(SIGTERM);
      kill_after_ = interrupts_ > 1 ? elapsed : elapsed + kGrace;
    }
    if (!kill_after_ || elapsed < *kill_after_) return;
    child_.signal_group(SIGKILL);
    killed_ = true;
  }

  ChildProcess& child_;
  const Interrupt& interrupt_;
  ProgramOutput output_;
  MonotonicNs started_ns_;
  std::optional<Seconds> kill_after_;
  int interrupts_ = 0;
  bool killed_ = false;
};

std::string how(const ExitStatus& status) {
  return status.signal != 0 ? fmt::format("ended with signal {}", status.signal)
                            : fmt::format("failed with exit status {}", status.status);
}

}  // namespace

Result<std::string> output_of_helper(const std::vector<std::string>& arguments,
                                     const Interrupt& interrupt, std::optional<Seconds> limit) {
  SpawnSpec spec;
  spec.arguments = arguments;
  Result<ChildProcess> child = ChildProcess::start(spec);
  if (!child) return tl::unexpected(child.error());
  Helper helper(*child, interrupt, limit);
  const ExitStatus status = helper.run();
  if (status.signal == 0 && status.status == 0) return helper.text(Stream::output);
  const std::string name = printable(arguments.at(0));
  if (helper.timed_out())
    return because(fmt::format("{} did not end within {}", name, format_duration(*limit)));
  const std::string last = last_lines(helper.text(Stream::error), 1);
  return because(
      fmt::format("{} {}{}", name, how(status), last.empty() ? "" : ": " + printable(last, 500)));
}

}  // namespace lapcast
