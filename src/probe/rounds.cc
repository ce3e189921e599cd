#include "probe/rounds.h"

#include <iterator>

namespace lapcast {
namespace {

constexpr MonotonicNs kAnswerLimit = 2'000'000'000;  // and some laps more
constexpr MonotonicNs kLapsToAnswer = 3;

}  // namespace

bool Rounds::is_over(Seconds ran, bool is_enough) const {
  if (!round_) return false;
  return (round_->laps > 0 && std::ssize(laps_.log().laps) >= round_->laps) ||
         (round_->ran.count() > 0 && ran >= round_->ran) || (is_enough && round_->until_enough);
}

bool Rounds::ask_for_pause(MonotonicNs now) {
  idle_since_.reset();
  if (!laps_.ask_for_pause()) return false;
  const Lap& last = laps_.log().laps.back();
  answer_limit_ = now + kAnswerLimit + kLapsToAnswer * (last.end_ns - last.begin_ns);
  return true;
}

bool Rounds::take_answer(MonotonicNs now) {
  idle_since_ = laps_.pause_answer();
  if (!idle_since_ && now < *answer_limit_) return false;
  answer_limit_.reset();
  return true;
}

void Rounds::give_up_pause() {
  if (answer_limit_) laps_.end_pause();
  answer_limit_.reset();
}

void Rounds::suspend(pid_t program) {
  suspension_.begin(program, idle_since_, laps_.log().on_device && !idle_since_);
  laps_.poll();
}

void Rounds::begin(const Round& round) {
  round_ = round;
  give_up_pause();
}

void Rounds::go_on(pid_t program) {
  laps_.end_pause();
  suspension_.end(program);
}

}  // namespace lapcast
