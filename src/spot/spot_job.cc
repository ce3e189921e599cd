#include "spot/spot_job.h"

#include <algorithm>
#include <cmath>

namespace lapcast {

std::optional<Reason> why_not_valid(const SpotJob& job) {
  constexpr double kLongest = 100 * 365.25 * 86400;
  for (const Seconds time : {job.work, job.interval, job.costs.checkpoint, job.costs.restart,
                             job.costs.notice, job.first_start.value_or(Seconds{0})})
    if (!(time.count() >= 0 && time.count() <= kLongest))
      return Reason{"a time of the job is negative or above 100 years"};
  if (job.interval.count() < 1e-3) return Reason{"the checkpoint interval is below 1 ms"};
  return std::nullopt;
}

SpotRun::SpotRun(const SpotJob& job, SpotSteps* steps)
    : interval_(job.interval.count()),
      cost_(job.costs.checkpoint.count()),
      restart_(job.costs.restart.count()),
      notice_(job.costs.notice.count()),
      start_(job.first_start.value_or(job.costs.restart).count()),
      left_(job.work.count()),
      work_(job.work.count()),
      steps_(steps) {}

bool SpotRun::use(double session) {
  if (session <= 0 || finished_) return finished_;
  const double start = start_;
  start_ = restart_;
  const double starting = std::min(session, start);
  SpotSession done{.is_first = !started_, .starting = starting};
  (started_ ? restarts_ : boot_) += starting;
  started_ = true;
  const double working = session - starting;
  const double segments = left_ > interval_ ? std::ceil(left_ / interval_) - 1 : 0;
  if (session >= start && working >= left_ + segments * cost_) {
    saves_ += segments;
    done.intervals = segments;
    done.last_work = left_ - segments * interval_;
    left_ = 0;
    finished_ = true;
    note(done);
    return true;
  }
  ++interruptions_;
  const double saves = std::min(segments, std::floor(working / (interval_ + cost_)));
  const double rest = working - saves * (interval_ + cost_);
  left_ -= saves * interval_;
  saves_ += saves;
  done.intervals = saves;
  done.lost = rest;
  if (cost_ <= notice_ && rest > cost_) {
    done.last_work = std::min(rest - cost_, left_);
    done.was_saved = true;
    done.lost = rest - cost_ - done.last_work;
    left_ -= done.last_work;
    saves_ += 1;
  }
  cut_ += done.lost;
  note(done);
  return false;
}

SpotTimes SpotRun::times() const {
  SpotTimes times;
  times.boot = Seconds{boot_};
  times.training = Seconds{work_ - left_};
  times.checkpoints = Seconds{saves_ * cost_};
  times.lost_work = Seconds{cut_};
  times.restarts = Seconds{restarts_};
  times.waiting = Seconds{waiting_};
  times.interruptions = interruptions_;
  times.finished = finished_;
  return times;
}

SpotTimes simulate(const SpotJob& job, const LifetimeDistribution& sessions,
                   const LifetimeDistribution* waits, SeededNumbers& numbers,
                   std::uint64_t most_interruptions) {
  SpotRun run(job);
  while (!run.use(sessions.draw(numbers)) && run.interruptions() < most_interruptions)
    if (waits != nullptr) run.wait(waits->draw(numbers));
  return run.times();
}

SpotTimes run_on_trace(const SpotJob& job, std::span<const PresenceSpan> spans, Seconds start,
                       SpotSteps* steps) {
  SpotRun run(job, steps);
  const auto first = std::partition_point(
      spans.begin(), spans.end(), [&](const PresenceSpan& span) { return span.end <= start; });
  for (auto span = first; span != spans.end(); ++span) {
    const double length = (span->end - std::max(span->begin, start)).count();
    if (span->presence == Presence::unknown) break;
    if (span->presence == Presence::absent)
      run.wait(length);
    else if (run.use(length))
      break;
  }
  return run.times();
}

}  // namespace lapcast
