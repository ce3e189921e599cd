#include "forecast/lap_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "forecast/cut_log.h"
#include "forecast/drained_queue.h"
#include "forecast/effect.h"
#include "forecast/effect_search.h"
#include "forecast/gpu_use.h"
#include "forecast/lap_series.h"
#include "forecast/validation_cost.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr double kFewLapsDeviation = 0.10;  // relative sd assumed of laps too few to show it
constexpr std::size_t kMostForMedian = 32768;
// The next two are relative standard deviations that are assumed where few were seen.
constexpr double kBoundaryDeviation = 0.3;
constexpr double kCheckpointDeviation = 0.2;

Interval<double> throughput(double samples, const Interval<double>& lap) {
  const auto rate = [samples](double seconds) { return seconds > 0 ? samples / seconds : 0; };
  return {rate(lap.high), rate(lap.mid), lap.low > 0 ? rate(lap.low) : 10 * rate(lap.mid)};
}

/// Returns the interval of the mean of laps that are too few to tell a stall from the rest.
Interval<double> few_laps_interval(std::span<const double> laps) {
  const Interval<double> few = few_values_interval(laps, kFewLapsDeviation);
  const double middle = median(laps);
  return {std::min(few.low, middle), middle, std::max(few.high, middle)};
}

/// Returns the interval of the mean of fewer than kFewestObservations.
Interval<double> few_interval(const Series& series) {
  const LapObservations& seen = series.observations;
  const std::span<const double> steady = series.steady();
  if (seen.ends_unknown)
    return few_observations_interval(steady, std::vector<double>(steady.size(), 1));
  if (seen.are_laps()) return few_laps_interval(steady);
  const std::size_t begin = series.observed_state.begin;
  return few_observations_interval(std::span(seen.seconds).subspan(begin),
                                   std::span(seen.laps).subspan(begin));
}

SteadyLaps steady_laps_of(const Series& series) {
  const SteadyMean steady_mean = mean_of(series);
  const std::span<const double> steady = series.steady();
  const std::int64_t observations = series.steady_observations();
  const bool few = observations < kFewestObservations;
  const double effective = series.observations.ends_unknown ? 1 : steady_mean.noise.effective_n;
  Interval<double> mean = few ? few_interval(series) : steady_mean.whole;
  mean.low = std::max(0.0, mean.low);
  // Where the median of few laps is unbounded, the interval of the mean replaces it.
  const Interval<double> median =
      few ? mean : median_interval_autocorrelated(thinned(steady, kMostForMedian), effective);
  return {.warm_up_laps = static_cast<std::int64_t>(series.first_steady_lap()),
          .why = series.state.why,
          .laps = std::ssize(steady),
          .observations = observations,
          .median = to_seconds(median),
          .mean = to_seconds(mean),
          .effective_laps = effective,
          .stalls = std::ssize(series.state.stalls),
          .samples_per_lap = series.full.samples,
          .samples_per_second = throughput(series.full.samples, mean)};
}

std::optional<Interval<Seconds>> checkpoint_cost(const LapLog& log) {
  std::vector<double> seconds;
  for (const Span& save : checkpoints_of(log)) seconds.push_back(save.seconds().count());
  if (seconds.empty()) return std::nullopt;
  return to_seconds(few_values_interval(seconds, kCheckpointDeviation));
}

/// Returns the saves per epoch over whole epochs, or over laps where no epoch is whole and
/// laps_per_epoch is known.
double checkpoints_per_epoch(const LapLog& log, double laps_per_epoch) {
  const double saves = static_cast<double>(checkpoints_of(log).size());
  const auto whole = std::ranges::count_if(log.epochs, &EpochSpan::ended);
  if (whole > 0) return saves / static_cast<double>(whole);
  if (laps_per_epoch <= 0) return 0;
  return saves * laps_per_epoch / static_cast<double>(log.laps.size());
}

std::optional<Interval<Seconds>> epoch_overhead(const Series& series, double steady_lap) {
  const std::vector<double> boundaries =
      epoch_boundaries(series, series.full.without_first_of_epoch ? steady_lap : 0);
  if (boundaries.empty()) return std::nullopt;
  Interval<double> overhead = few_values_interval(boundaries, kBoundaryDeviation);
  // A boundary whose first lap happened to be fast takes no time, not less.
  overhead.mid = std::max(0.0, overhead.mid);
  overhead.low = std::max(0.0, overhead.low);
  overhead.high = std::max(overhead.mid, overhead.high);
  return to_seconds(overhead);
}

double laps_per_epoch(const LapProfile& profile) {
  const TrainingPlan& plan = profile.reported;
  if (plan.iterations_per_epoch > 0) return static_cast<double>(plan.iterations_per_epoch);
  if (plan.training_samples > 0 && profile.steady.samples_per_lap > 0) {
    return static_cast<double>(plan.training_samples) / profile.steady.samples_per_lap;
  }
  return static_cast<double>(profile.laps_per_epoch);
}

/// Returns the epochs before the first one of a log, by its number; 0 where it has none.
std::int64_t epochs_before(const LapLog& log) {
  return log.epochs.empty() ? 0 : std::max(0, log.epochs.front().epoch - 1);
}

/// Returns the first epoch of a log that has ended, its end where there is none. Of a training that
/// was resumed within an epoch it is the second one.
auto first_whole_epoch(const LapLog& log) {
  const bool is_part = log.plan && log.plan->laps_done > 0 && log.epochs.size() > 1;
  return std::find_if(log.epochs.begin() + (is_part ? 1 : 0), log.epochs.end(),
                      [](const EpochSpan& epoch) { return epoch.ended && epoch.laps > 0; });
}

void add_epochs(LapProfile& profile, const Series& series) {
  profile.epochs_before = epochs_before(series.log);
  const auto whole = first_whole_epoch(series.log);
  if (whole != series.log.epochs.end()) {
    profile.laps_per_epoch = whole->laps;
    profile.samples_per_epoch = whole->samples;
  }
  profile.epochs = whole_epochs(series);
  profile.epoch_overhead = epoch_overhead(series, profile.steady.mean.mid.count());
  profile.checkpoint = checkpoint_cost(series.log);
  profile.checkpoints_per_epoch = checkpoints_per_epoch(series.log, laps_per_epoch(profile));
  profile.checkpoints_per_lap = static_cast<double>(checkpoints_of(series.log).size()) /
                                static_cast<double>(series.log.laps.size());
}

void add_validation(LapProfile& profile, const Series& series, const RunFacts& facts) {
  const LapLog& log = series.log;
  const std::int64_t samples =
      facts.validation_samples > 0 ? facts.validation_samples : profile.reported.validation_samples;
  profile.validation = overlapped_cost(series, samples, profile.steady);
  if (!profile.validation) profile.validation = validation_cost(log, samples, profile.steady);
  if (profile.validation && profile.validation->provenance == Provenance::measured)
    for (Interval<Seconds>* each : {&profile.validation->first, &profile.validation->later})
      each->low = std::clamp(each->mid - most_queued_at_breaks(log), Seconds{0}, each->low);
  profile.validations = schedule_of(log, samples, laps_per_epoch(profile));
  if (profile.validations.in_laps && profile.validations.is_quiet())
    profile.notes.push_back(
        fmt::format("a validation ran before the first lap, and none in the {} laps since: how "
                    "many come is not known (--validate-every N: one after every N laps)",
                    log.laps.size()));
}

void add_teardown(LapProfile& profile, const Series& series, const RunFacts& facts) {
  const std::int64_t last_lap = series.log.laps.back().end_ns;
  if (facts.ended_by_itself) {
    const Seconds after = facts.wall - facts.before_log - from_ns(last_lap);
    const Seconds rest = after - series.paused.within(last_lap, series.log.last_ns);
    profile.teardown = Interval<Seconds>::exactly(std::max(Seconds{0}, rest));
    profile.real_total = facts.wall;
    return;
  }
  // A stopped program skips what it does itself at its end, and shows only the system's part.
  profile.teardown = Interval<Seconds>::exactly(facts.stop_to_end) +
                     around(profile.init, kPriors.teardown_of_init);
  profile.teardown_provenance = Provenance::predicted;
}

/// Returns the laps that were made before the run began, as far as its log says.
std::int64_t laps_before(const LapLog& log) {
  return log.plan ? log.plan->laps_done : 0;
}

/// Returns the length of a training that ended by itself, with what was done before: its laps where
/// it has no epochs, or laps before the first one.
TrainingPlan length_of_ended(const LapLog& log) {
  const bool by_epochs =
      std::ranges::any_of(log.epochs,
                          [](const EpochSpan& epoch) { return epoch.ended && epoch.laps > 0; }) &&
      log.epochs.front().first_lap == 0;
  TrainingPlan length{.from = "the run itself, which ended"};
  (by_epochs ? length.epochs : length.steps) = by_epochs
                                                   ? epochs_before(log) + std::ssize(log.epochs)
                                                   : laps_before(log) + std::ssize(log.laps);
  return length;
}

/// Returns whether a training exceeded the length, which then describes something else.
bool is_beyond(const TrainingPlan& length, const LapLog& log) {
  return length.epochs > 0 ? std::ssize(log.epochs) + epochs_before(log) > length.epochs
                           : std::ssize(log.laps) + laps_before(log) > length.steps;
}

/// Returns whether both give the same kind of length with different values.
bool differ(const TrainingPlan& reported, const TrainingPlan& length) {
  return (reported.epochs > 0 && length.epochs > 0 && reported.epochs != length.epochs) ||
         (reported.steps > 0 && length.steps > 0 && reported.steps != length.steps);
}

void add_length(LapProfile& profile, const LapLog& log, const RunFacts& facts) {
  TrainingPlan& reported = profile.reported;
  const std::optional<TrainingPlan>& command = facts.command;
  if (!reported.from.empty() && command && differ(reported, *command)) {
    profile.notes.push_back(
        fmt::format("`{}` of the program and {} disagree on the length: the command counts",
                    printable(reported.from, 60), command->from));
    reported.epochs = reported.steps = 0;
  }
  if (reported.epochs <= 0 && reported.steps <= 0) {
    if (facts.ended_by_itself)
      profile.length = length_of_ended(log);
    else if (command && !is_beyond(*command, log))
      profile.length = command;
    return;
  }
  if (command && differ(reported, *command))
    profile.notes.push_back(
        fmt::format("the program announces another length than {}: its own "
                    "number counts",
                    command->from));
}

/// Adds a note if the program ran on so long after its laps that they are not its whole training.
void note_late_end(LapProfile& profile, std::span<const double> costs) {
  constexpr double kTimesTheLaps = 10;
  constexpr Seconds kLeast{1};
  const Seconds laps{std::accumulate(costs.begin(), costs.end(), 0.0)};
  const Seconds after = profile.teardown.mid;
  if (profile.real_total.count() <= 0 || after < kLeast || after < laps * kTimesTheLaps) return;
  profile.notes.push_back(
      fmt::format("the laps took {} and ended {} before the program: it may have trained without "
                  "laps, as when it replays a graph",
                  format_duration(laps), format_duration(after)));
}

void note_log(LapProfile& profile, const Series& series) {
  const LapLog& log = series.log;
  const std::size_t finished = log.laps.size() - series.full.queued;
  if (finished == 0) {
    profile.notes.push_back(
        "laps report queued work, and none waited for the device: it may be slower than they look");
  } else if (series.full.queued > 0) {
    profile.notes.push_back(fmt::format(
        "laps report queued work; {} of {} waited for the device, those before share the time",
        finished, log.laps.size()));
  }
  if (profile.epochs_before > 0)
    profile.notes.push_back(
        fmt::format("the program resumed at epoch {}", profile.epochs_before + 1));
  else if (laps_before(log) > 0)
    profile.notes.push_back(fmt::format("the program resumed after {} laps", laps_before(log)));
  if (series.full.scaled) {
    profile.notes.push_back("batches vary in size: laps are compared per sample");
  }
  note_late_end(profile, series.costs);
}

}  // namespace

RunFacts facts_before_start(const RunContext& context) {
  return {.start = context.start,
          .validation_samples = context.plan.validation_samples,
          .command = length_in_command(filled_program(context))};
}

Result<LapProfile> profile_of(const LapLog& logged, const RunFacts& facts) {
  if (logged.laps.empty()) return because("no laps");
  const std::optional<LapLog> corrected = with_drained_queue(logged);
  const LapLog& log = corrected ? *corrected : logged;
  if (facts.conditions == Conditions::undisturbed)
    if (auto reason = why_not_undisturbed(log)) return tl::unexpected(*std::move(reason));
  Series series(log, facts.conditions);
  LapProfile profile;
  profile.start = facts.start;
  profile.on_device = log.on_device;
  profile.init = facts.before_log + from_ns(std::max<std::int64_t>(0, log.laps.front().begin_ns));
  profile.reported = log.plan.value_or(TrainingPlan{});
  profile.first_lap = Seconds{series.costs.front()};
  profile.steady = steady_laps_of(series);
  profile.slices = slices_of(series);
  profile.warm_up_excess =
      Seconds{series.excess({0, series.first_steady_lap()}, profile.steady.mean.mid.count())};
  add_epochs(profile, series);
  add_validation(profile, series, facts);
  add_teardown(profile, series, facts);
  add_length(profile, log, facts);
  profile.observed = facts.ended_by_itself ? facts.wall : facts.before_log + from_ns(log.last_ns);
  profile.effects = effects_of(series, profile);
  note_log(profile, series);
  if (!log.gpus.empty()) profile.idle_gpus = describe_use(use_of_gpus(log.gpus, training_of(log)));
  series.full = {};  // this and profile.laps are large for a day of laps
  profile.laps.reserve(series.costs.size());
  for (const double cost : series.costs) profile.laps.emplace_back(cost);
  return profile;
}

/// Returns the facts of a run whose whole log is used.
static RunFacts facts_of_whole(const Run& run, Conditions conditions) {
  RunFacts facts = facts_before_start(run.context);
  facts.ended_by_itself = std::holds_alternative<outcome::Ended>(run.outcome);
  facts.wall = run.wall();
  facts.conditions = conditions;
  // A longer time is not the system's work but the program's answer to the request.
  constexpr Seconds kLongestFreeing{1};
  if (run.stop_sent_ns && from_ns(run.ended_ns - *run.stop_sent_ns) <= kLongestFreeing)
    facts.stop_to_end = from_ns(run.ended_ns - *run.stop_sent_ns);
  return facts;
}

Result<LapProfile> profile_of(const Run& run, std::int64_t first_epochs, Conditions conditions) {
  if (!may_have_laps(run.outcome)) return because(describe(run.outcome));
  RunFacts facts = facts_of_whole(run, conditions);
  if (first_epochs <= 0) return profile_of(*laps_of(run), facts);
  facts.ended_by_itself = false;
  facts.stop_to_end = RunFacts().stop_to_end;
  const auto log = log_of_first_epochs(*laps_of(run), first_epochs);
  return log ? profile_of(*log, facts) : tl::unexpected(log.error());
}

Result<LapProfile> profile_without_logs(Run& run, Conditions conditions) {
  if (!may_have_laps(run.outcome)) return because(describe(run.outcome));
  const auto log = laps_of(run);
  run.lap_logs = {};
  return profile_of(*log, facts_of_whole(run, conditions));
}

}  // namespace lapcast
