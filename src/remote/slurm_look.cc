#include "remote/slurm_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "remote/patience.h"

namespace lapcast {

void SlurmPace::later(MonotonicNs now) {
  set(std::min(std::max(kFirstWait, wait_ns_ + wait_ns_ / 2), kLongestWait), now);
}

SlurmLook::Sight SlurmLook::look(const std::string& folder, std::int64_t job, MonotonicNs now) {
  if (!command_) {
    auto command = host_.start(SlurmQueue::look_command(folder, job));
    if (!command) return Unanswered{command.error()};
    command_.emplace(std::move(*command));
    command_->close_input();
    since_ns_ = now;
    printed_.clear();
  }
  command_->wait(std::chrono::milliseconds{0});
  printed_ += command_->take_output();
  const bool hangs = from_ns(now - since_ns_) > longest_contact();
  if (!command_->ended()) {
    if (!hangs && printed_.size() <= Host::kMostOutput) return {};
    command_.reset();
    return Unanswered{{{fmt::format("squeue on {} {}", host_.name(),
                                    hangs ? "does not end" : "prints without end")},
                       true}};
  }
  const CommandOutput output{command_->status(), printed_, command_->error()};
  const auto unreachable = host_.failure_of(*command_);
  command_.reset();
  if (unreachable) return Unanswered{*unreachable};
  const auto found = queue_.read_look(output);
  if (!found) return Unanswered{found.error()};
  return Answer{*found};
}

SlurmLives SlurmLook::lives() const {
  std::string_view printed = printed_;
  return take_lives(printed);
}

}  // namespace lapcast
