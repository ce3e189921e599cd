#include "run/attempts.h"

#include <algorithm>
#include <variant>

namespace lapcast {
namespace {

constexpr const char* kEarlierAttempt = "earlier attempt";
constexpr const char* kLostWork = "lost work";
constexpr const char* kEarlierSessions = "earlier sessions";

}  // namespace

std::vector<PreparationStep> steps_of(std::span<const CutOffAttempt> attempts) {
  std::vector<PreparationStep> steps;
  Seconds lost{0};
  for (const CutOffAttempt& attempt : attempts) {
    steps.push_back({kEarlierAttempt, attempt.time, 0});
    lost += attempt.lost;
  }
  if (!attempts.empty()) steps.push_back(work_lost(lost));
  return steps;
}

PreparationStep earlier_sessions(Seconds trained) {
  return {kEarlierSessions, trained, 0};
}

bool is_later_session(const Run& run) {
  return std::ranges::any_of(
      run.preparation, [](const PreparationStep& step) { return step.what == kEarlierSessions; });
}

bool is_whole_training(const Run& run) {
  return std::holds_alternative<outcome::Ended>(run.outcome) && !is_later_session(run);
}

PreparationStep work_lost(Seconds time) {
  return {kLostWork, time, 0};
}

Seconds time_of(std::span<const CutOffAttempt> attempts) {
  Seconds sum{0};
  for (const CutOffAttempt& attempt : attempts) sum += attempt.time;
  return sum;
}

Seconds time_of_attempts(const Run& run) {
  return run.wall() + preparation_time(run, kEarlierAttempt);
}

Seconds lost_work(const Run& run) {
  return preparation_time(run, kLostWork);
}

Seconds training_time(const Run& run) {
  return time_of_attempts(run) - lost_work(run);
}

}  // namespace lapcast
