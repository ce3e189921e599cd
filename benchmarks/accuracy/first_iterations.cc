#include "accuracy/first_iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "accuracy/groups.h"
#include "forecast/lap_profiler.h"
#include "stats/summary.h"

namespace lapcast::accuracy {
namespace {

constexpr double kNs = 1e9;
constexpr double kLongestIteration = 3600;  // seconds; a line with a longer one is broken
constexpr double kLargestBatch = 1e8;

/// Holds the iterations of one progress line and the time of each.
struct Stretch {
  double end = 0;  // seconds since run_start
  std::int64_t iterations = 0;
  double each = 0;  // seconds
  std::int32_t epoch = 0;
};

double seconds_each(const LoggedRun& run, const ProgressLine& line) {
  return run.progress_kind == "mxnet" ? run.global_batch / line.reported : line.reported;
}

/// Returns the lines until 100 iterations are over; a line begins at the previous one of its epoch.
std::vector<Stretch> first_stretches(const LoggedRun& run) {
  std::vector<Stretch> stretches;
  std::int64_t before = 0, epoch = -1, sum = 0;
  for (const ProgressLine& line : run.progress) {
    if (line.epoch != epoch) before = 0;
    epoch = line.epoch;
    const std::int64_t iterations = line.iteration - before;
    const double each = seconds_each(run, line);
    if (iterations <= 0 || !(each > 0 && each < kLongestIteration)) continue;
    if (sum + iterations > kFirstIterations) break;
    stretches.push_back({line.at.count(), iterations, each, static_cast<std::int32_t>(epoch + 1)});
    before = line.iteration;
    sum += iterations;
  }
  return stretches;
}

std::vector<double> times_of(const LoggedRun& run, MllogKey key) {
  std::vector<double> times;
  for (const MllogEvent& event : run.events) {
    if (event.key == key) times.push_back(static_cast<double>(event.time_ns) / kNs);
  }
  std::sort(times.begin(), times.end());
  return times;
}

double first_after(const std::vector<double>& times, double at, double none) {
  const auto next = std::upper_bound(times.begin(), times.end(), at);
  return next == times.end() ? none : *next;
}

/// Returns how long training waits for one evaluation: until it stops or a parallel epoch begins.
double cost_of_evaluation(const LoggedRun& run) {
  const auto starts = times_of(run, MllogKey::eval_start);
  if (starts.empty()) return 0;
  const double begin = starts.front();
  const double stop = first_after(times_of(run, MllogKey::eval_stop), begin, begin);
  const double next = first_after(times_of(run, MllogKey::epoch_start), begin, stop);
  return std::min(stop, next) - begin;
}

void add_laps(LapLog& log, const Stretch& stretch, double batch) {
  const std::int64_t end_ns = std::llround(stretch.end * kNs);
  const std::int64_t free_from = log.laps.empty() ? 0 : log.laps.back().end_ns;
  const std::int64_t whole_ns =
      std::llround(stretch.each * static_cast<double>(stretch.iterations) * kNs);
  const std::int64_t begin_ns = std::max(free_from, end_ns - whole_ns);
  const std::int64_t each_ns = std::max<std::int64_t>(0, end_ns - begin_ns) / stretch.iterations;
  for (std::int64_t i = 0; i < stretch.iterations; ++i) {
    Lap lap;
    lap.begin_ns = begin_ns + i * each_ns;
    lap.end_ns = lap.begin_ns + each_ns;
    lap.index = static_cast<std::int64_t>(log.laps.size());
    lap.samples = static_cast<std::int32_t>(batch);
    lap.epoch = stretch.epoch;
    log.laps.push_back(lap);
  }
}

LapLog log_of(const std::vector<Stretch>& stretches, double batch, double evaluation) {
  LapLog log;
  log.hello.emplace();
  for (const Stretch& stretch : stretches) add_laps(log, stretch, batch);
  log.last_ns = log.laps.back().end_ns;
  if (evaluation > 0) {
    const std::int64_t end_ns = log.last_ns + std::llround(evaluation * kNs);
    log.validations.push_back({.span = {log.last_ns, end_ns},
                               .samples = 1,
                               .epoch = log.laps.back().epoch,
                               .laps_before = static_cast<std::int64_t>(log.laps.size())});
    log.last_ns = end_ns;
  }
  return log;
}

/// Returns the time of the first line, plus all other iterations at the mean of the following
/// lines.
double papers_total(const LoggedRun& run, const std::vector<Stretch>& stretches, double iterations,
                    double evaluations) {
  std::vector<double> each;
  for (const Stretch& stretch : stretches) each.push_back(stretch.each);
  if (each.size() > 1) each.erase(each.begin());
  const Stretch& first = stretches.front();
  const double rest = iterations - static_cast<double>(first.iterations);
  return first.end + mean(each) * rest + evaluations * cost_of_evaluation(run);
}

}  // namespace

// Returns the size of ImageNet's training set or of COCO 2017's training images with annotations,
// as in the MLPerf Training rules of the benchmarks resnet and maskrcnn.
double samples_of_epoch(std::string_view benchmark) {
  if (benchmark == "resnet") return 1'281'167;
  return benchmark == "maskrcnn" ? 117'266 : 0;
}

Result<Probe> probe_of_iterations(const LoggedRun& run) {
  const double samples = samples_of_epoch(run.benchmark);
  if (run.progress.empty()) return because("no progress lines");
  if (run.progress_kind != "mxnet" && run.progress_kind != "maskrcnn")
    return because("progress lines of an unknown kind");
  if (samples == 0) return because("the size of its data set is not known");
  if (run.global_batch < 1 || run.global_batch > kLargestBatch)
    return because("its batch size is not given");
  if (!run.unit || *run.unit != MllogUnit::epoch || run.units < 1)
    return because("no number of epochs is given");
  const std::vector<Stretch> stretches = first_stretches(run);
  if (stretches.empty()) return because("no line is of the first 100 iterations");
  Probe probe;
  probe.run = &run;
  probe.seen = fmt::format("{} iterations", kFirstIterations);
  probe.groups = {{6, run.benchmark + ", iterations"}};
  probe.log = log_of(stretches, run.global_batch, cost_of_evaluation(run));
  probe.stopped = Seconds{stretches.back().end};
  if (probe.stopped >= run.total) return because("its lines go on after its end");
  auto profile = profile_of(probe.log, RunFacts{});
  if (!profile) return tl::unexpected(profile.error());
  probe.profile = *std::move(profile);
  const double iterations = run.units * samples / run.global_batch;
  const auto evaluations = static_cast<double>(times_of(run, MllogKey::eval_start).size());
  probe.profile.validations = evenly_spread(evaluations / run.units);
  const TrainingPlan requested{.epochs = std::llround(run.units),
                               .training_samples = std::llround(samples)};
  const auto plan = plan_of(requested, probe.profile);
  if (!plan) return tl::unexpected(plan.error());
  probe.plan = *plan;
  probe.papers = Seconds{papers_total(run, stretches, iterations, evaluations)};
  return probe;
}

}  // namespace lapcast::accuracy
