#include "run/sessions.h"

#include <algorithm>
#include <variant>

#include "lap/lap_log.h"
#include "run/attempts.h"
#include "run/run_cost.h"

namespace lapcast {
namespace {

/// Bounds how much too early the clock of files is: it ticks 100 to 1000 times a second.
constexpr Seconds kTickOfFiles{0.010};

bool has_ended(const Run& run) {
  return std::holds_alternative<outcome::Ended>(run.outcome);
}

/// Returns the work of a session's last attempt that came after its checkpoint, which
/// note_session() wrote last. Nothing is left of a session without such a note: its files did not
/// come home.
Seconds lost_at_the_end(const Run& run) {
  if (has_ended(run)) return Seconds{0};
  const bool is_noted =
      !run.preparation.empty() && run.preparation.back().what == work_lost(Seconds{0}).what;
  return is_noted ? run.preparation.back().time : run.wall();
}

TrainingSession session_of(const Run& run) {
  const Seconds lost = lost_at_the_end(run);
  TrainingSession session{
      .run = &run, .time = time_of_attempts(run), .lost = std::max(lost, lost_work(run))};
  const bool has_saved = lost < run.wall();  // else no lap counts, however early it ended
  const Seconds kept = has_saved ? run.wall() - lost + kTickOfFiles : Seconds{0};
  const auto log = laps_of(run);
  const auto counts = [&](const Lap& lap) { return has_ended(run) || from_ns(lap.end_ns) <= kept; };
  session.laps = std::ranges::count_if(log->laps, counts);
  session.lost_laps = std::ssize(log->laps) - session.laps;
  if (const auto cost = cost_of_run(run, {})) session.cost = *cost;
  return session;
}

/// Returns the sum of a member of all sessions; none where a session lacks it.
template <class T>
std::optional<T> sum_of(const std::vector<TrainingSession>& sessions,
                        std::optional<T> TrainingSession::*member) {
  T sum{};
  for (const TrainingSession& session : sessions) {
    if (!(session.*member)) return std::nullopt;
    sum += *(session.*member);
  }
  return sum;
}

template <class T>
T sum_of(const std::vector<TrainingSession>& sessions, T TrainingSession::*member) {
  T sum{};
  for (const TrainingSession& session : sessions) sum += session.*member;
  return sum;
}

}  // namespace

std::int64_t SessionsTraining::laps() const {
  return sum_of(sessions, &TrainingSession::laps);
}
std::int64_t SessionsTraining::lost_laps() const {
  return sum_of(sessions, &TrainingSession::lost_laps);
}
Seconds SessionsTraining::time() const {
  return sum_of(sessions, &TrainingSession::time);
}
Seconds SessionsTraining::lost() const {
  return sum_of(sessions, &TrainingSession::lost);
}
std::optional<Money> SessionsTraining::cost() const {
  return sum_of(sessions, &TrainingSession::cost);
}
std::optional<double> SessionsTraining::kwh() const {
  return sum_of(sessions, &TrainingSession::kwh);
}

SessionsTraining merge_sessions(std::span<const Run> runs) {
  SessionsTraining training;
  for (const Run& run : runs) {
    if (std::holds_alternative<outcome::NotStarted>(run.outcome)) continue;
    training.sessions.push_back(session_of(run));
    training.ended = has_ended(run);
  }
  return training;
}

Seconds ran_until(const Run& run, double written_s) {
  const auto log = laps_of(run);
  if (!log->hello || !(log->hello->wall_seconds > 0)) return Seconds{0};
  return std::clamp(Seconds{written_s - log->hello->wall_seconds}, Seconds{0}, run.wall());
}

void note_session(Run& run, const SessionsTraining& before, Seconds saved) {
  if (!before.sessions.empty())
    run.preparation.push_back(earlier_sessions(before.time() - before.lost()));
  if (!has_ended(run)) run.preparation.push_back(work_lost(run.wall() - saved));
}

}  // namespace lapcast
