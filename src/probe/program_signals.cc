#include "probe/program_signals.h"

#include <fmt/format.h>
#include <signal.h>

#include "probe/processes.h"

namespace lapcast {
namespace {

constexpr MonotonicNs kKillAgainAfter = 1'000'000'000;

}  // namespace

void ProgramSignals::begin(const ChildProcess& program, MonotonicNs started_ns) {
  program_ = &program;
  if (save_) next_ask_ = started_ns + to_ns(save_->every);
}

/// Asks for a checkpoint. Returns false if the program would not hear the signal.
bool ProgramSignals::ask_to_save() const {
  if (!save_ || !catches(program_->pid(), save_->signal)) return false;
  ::kill(program_->pid(), save_->signal);
  return true;
}

void ProgramSignals::ask_when_due(MonotonicNs now) {
  if (!save_ || save_->every.count() <= 0 || now < next_ask_) return;
  next_ask_ = now + to_ns(save_->every);
  if (!ask_to_save()) ++unheard_;
}

void ProgramSignals::end(MonotonicNs now, Seconds grace, bool may_save) {
  if (ask_to_save() || may_save)
    term_at_ = now + to_ns(grace / 2);
  else
    program_->signal_group(SIGTERM);
  kill_at_ = now + to_ns(grace);
}

void ProgramSignals::look(MonotonicNs now) {
  if (term_at_ && now >= *term_at_) {
    program_->signal_group(SIGTERM);
    term_at_.reset();
  }
  if (kill_at_ && now >= *kill_at_) {
    program_->signal_group(SIGKILL);
    kill_at_ = now + kKillAgainAfter;  // a process may have joined the group meanwhile
  }
}

std::vector<std::string> ProgramSignals::warnings() const {
  if (unheard_ == 0) return {};
  return {
      fmt::format("{} requests for a checkpoint were not sent: the program had no handler for the "
                  "signal of --checkpoint-signal",
                  unheard_)};
}

}  // namespace lapcast
