#include "history/moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include "core/hash.h"
#include "core/units.h"
#include "forecast/lap_profiler.h"
#include "forecast/time_cases.h"
#include "history/compile_starts.h"
#include "run/compile_caches.h"
#include "run/secrets.h"
#include "run/settings.h"
#include "stats/distributions.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

constexpr std::uint64_t kSeed = 14;
constexpr std::size_t kMostSlices = 150;  // of a group that is estimated
// At most this many candidates of a group are estimated together, because the work grows with the
// third power. Candidates of different parts share only the slow process.
constexpr std::size_t kMostCandidates = 60;
// A busy machine slows programs on fewer or more of its CPUs in a related but different way, and
// during the same minutes: the evidence of all its other kinds together counts this much.
constexpr double kShareOfOtherKinds = 0.5;

/// Returns what is expected of a machine whose speed was not observed yet (docs/forecast.md). A
/// program whose laps run on a device keeps few CPUs busy, however many it may use.
WanderPrior prior_of(const RunContext& context, Conditions conditions, bool on_device) {
  const MachineType& type = context.machine_type;
  if (type.exclusive)
    return {.quick = 0.01, .slow = 0.006, .start = 0.01, .doubt = 0.7, .slow_doubt = 0.7};
  if (context.machine.hypervisor.empty()) return {};
  WanderPrior guest{.quick = 0.02, .slow = 0.03, .start = 0.07, .doubt = 0.4, .slow_doubt = 0.6};
  const bool may_use_all =
      !on_device && (type.cpus.empty() || type.cpus.size() >= context.machine.allowed_cpus.size());
  if (conditions == Conditions::undisturbed)
    guest.slow = 0.01;
  else if (may_use_all)
    guest.quick = 0.07, guest.slow = 0.1;
  return guest;
}

/// Adds the slices of a run's laps, which began at `begun_s` on the clock of the group.
void add_slices(std::vector<SpeedSlice>& slices, const LapProfile& profile, std::size_t candidate,
                std::size_t start, double begun_s) {
  for (const LapSlice& slice : profile.slices)
    slices.push_back({candidate, start, begun_s + slice.begin_s, begun_s + slice.end_s,
                      std::log(slice.lap_s), slice.error});
}

/// Returns whether two slices are of one start, without a pause that is longer than they are.
bool are_joined(const SpeedSlice& slice, const SpeedSlice& next) {
  return next.start == slice.start &&
         next.begin_s - slice.end_s <= next.end_s - next.begin_s + slice.end_s - slice.begin_s;
}

/// Joins neighbouring slices of each start in pairs, repeatedly, until at most `most` are left, or
/// nearly as few as `least` for each start. Keeps the slices of a candidate together.
std::vector<SpeedSlice> thinned(std::vector<SpeedSlice> slices, std::size_t most,
                                std::size_t least) {
  std::ranges::stable_sort(slices, {}, &SpeedSlice::candidate);
  std::size_t starts = 0;
  for (std::size_t i = 0; i < slices.size(); ++i)
    starts += i == 0 || slices[i].start != slices[i - 1].start;
  while (slices.size() > most) {
    std::vector<SpeedSlice> result;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      SpeedSlice slice = slices[i];
      if (i + 1 < slices.size() && are_joined(slice, slices[i + 1])) {
        const SpeedSlice& next = slices[++i];
        slice.end_s = next.end_s;
        slice.log_lap = (slice.log_lap + next.log_lap) / 2;
        slice.error = std::hypot(slice.error, next.error) / 2;
      }
      result.push_back(slice);
    }
    if (result.size() == slices.size() || result.size() < least * starts) break;
    slices = std::move(result);
  }
  return slices;
}

/// Returns the slices of `count` candidates from `first` on, which are numbered from 0.
std::vector<SpeedSlice> slices_of(const std::vector<SpeedSlice>& slices, std::size_t first,
                                  std::size_t count) {
  std::vector<SpeedSlice> result;
  for (SpeedSlice slice : slices) {
    if (slice.candidate < first || slice.candidate >= first + count) continue;
    slice.candidate -= first;
    result.push_back(slice);
  }
  return result;
}

/// Returns a key of the run's candidate. A changed machine type makes another candidate.
std::string candidate_of_run(const RunContext& context) {
  const MachineType& type = context.machine_type;
  std::string environment;
  for (const auto& [name, value] : type.environment) environment += name + "=" + value + "\n";
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", type.name, format_cpu_list(type.cpus),
                     type.cpu_quota.value_or(0), environment, context.machine.cpu_model,
                     settings_text(context), fmt::join(context.program, "\n"));
}

/// Returns a seed for draws that all candidates of a machine have in common.
std::uint64_t seed_of(const std::string& machine) {
  Fnv1a hash;
  hash.add(machine);
  return hash.value();
}

/// Returns a key shared by runs that a busy machine slows alike: the machine, the number of its
/// CPUs that they may use, whether a quota keeps them below these, and whether a device runs laps.
std::string kind_of(const Run& run, const LapProfile& profile) {
  const MachineType& type = run.context.machine_type;
  return fmt::format("{}\n{}\n{}\n{}", machine_of(run), type.cpus.size(),
                     type.cpu_quota ? "quota" : "", profile.on_device ? "device" : "");
}

/// Corrects the part of the warm-up for laps that take exp(log_laps) times as long.
void correct_warm_up(Forecast& forecast, double log_laps) {
  ForecastPart& part = part_of(forecast, PartKind::warm_up);
  const Seconds corrected = warm_up_with_laps(forecast, log_laps);
  if (part.time.mid.count() != 0)
    part.time = scaled(part.time, std::abs(corrected / part.time.mid));
}

/// Holds the half-widths of a forecast's interval in seconds, without those of the laps.
struct ErrorsBesideLaps {
  double below = 0;
  double above = 0;

  explicit ErrorsBesideLaps(const Forecast& forecast) {
    QuadratureSum sum;
    for (const ForecastPart& part : forecast.parts)
      if (part.kind != PartKind::laps) sum.add(part.time);
    below = std::sqrt(sum.below_squared);
    above = std::sqrt(sum.above_squared);
  }
};

/// Returns the interval of a total: a share of it has this interval of its logarithm, and the rest
/// has these errors.
Interval<Seconds> total_of(Seconds mid, double share, const Interval<double>& log_laps,
                           const ErrorsBesideLaps& errors) {
  return LogErrors()
      .add_distances(mid.count(), errors.below, errors.above)
      .add(share * (log_laps.mid - log_laps.low), share * (log_laps.high - log_laps.mid))
      .around(mid);
}

}  // namespace

double wander_of_rest(const RunContext& context, const LapProfile& profile, Seconds rest) {
  if (profile.slices.empty() || !(rest.count() > 0)) return 0;
  std::vector<SpeedSlice> slices;
  add_slices(slices, profile, 0, 0, 0);
  slices = thinned(std::move(slices), SpeedModel::kMostSlices, 2);
  SpeedModel model(prior_of(context, Conditions::as_measured, profile.on_device));
  model.learn(SpeedModel::evidence_of(slices));
  const Interval<double> of_rest = model.estimate(slices).run_of(0, rest.count());
  return (of_rest.high - of_rest.low) / 2;
}

double spread_of_moment(const RunContext& context, bool on_one_machine) {
  // The share of the slow variance that two minutes change, with its time constant of ten.
  constexpr double kSlowWithinARace = 0.18;
  const WanderPrior prior = prior_of(context, Conditions::as_measured, false);
  // Returns the mean square of a lognormal deviation.
  const auto square = [](double median, double doubt) {
    return median * median * std::exp(2 * doubt * doubt);
  };
  return std::sqrt(square(prior.quick, prior.doubt) + square(prior.start, prior.doubt) +
                   (on_one_machine ? kSlowWithinARace : 1) * square(prior.slow, prior.slow_doubt));
}

Moments::Moments(std::vector<Run> runs, const std::string& program, RunsByProgram earlier,
                 Conditions conditions, std::uint64_t stream) {
  for (Run& run : runs) {
    const auto profile = learn_start(run, conditions);
    if (!profile || profile->slices.empty()) continue;
    Kind& kind = kinds_[kind_of(run, *profile)];
    if (kind.group.starts == 0) {
      kind.prior = prior_of(run.context, conditions, profile->on_device);
      kind.machine = machine_of(run);
    }
    kind.group.add(run, *profile);
  }
  const GroupsOfPrograms learned = learn(program, std::move(earlier), conditions);
  std::map<std::string, std::vector<SpeedModel::Evidence>> evidence;  // by kind
  for (const auto& [of, group] : learned)
    evidence[of.first].push_back(
        SpeedModel::evidence_of(thinned(group.slices, SpeedModel::kMostSlices, 2)));
  std::uint64_t seed = kSeed + (stream << 32);
  for (auto& [name, kind] : kinds_) {
    SpeedModel model(kind.prior);
    std::ptrdiff_t others = -1;
    for (const auto& [other, of_other] : kinds_) others += of_other.machine == kind.machine;
    for (const auto& [other, groups] : evidence)
      if (kinds_.at(other).machine == kind.machine)
        for (const SpeedModel::Evidence& group : groups)
          model.learn(group, other == name ? 1 : kShareOfOtherKinds / static_cast<double>(others));
    kind.draws.resize(kCases);
    const std::size_t candidates = kind.group.candidates.size();
    for (std::size_t first = 0; first < candidates; first += kMostCandidates) {
      kind.estimates.push_back(
          model.estimate(thinned(slices_of(kind.group.slices, first, kMostCandidates),
                                 candidates > kMostCandidates ? kMostCandidates : kMostSlices, 1)));
      const auto draws = kind.estimates.back().draws(kCases, seed++, seed_of(kind.machine));
      for (std::size_t i = 0; i < kCases; ++i)
        kind.draws[i].insert(kind.draws[i].end(), draws[i].begin(), draws[i].end());
    }
  }
}

Result<LapProfile> Moments::learn_start(Run& run, Conditions conditions) {
  const CacheState caches = cache_state_of(compile_caches_of(run));
  auto profile = profile_without_logs(run, conditions);
  if (profile) starts_.add(machine_of(run), candidate_of_run(run.context), *profile, caches);
  return profile;
}

Moments::GroupsOfPrograms Moments::learn(const std::string& program, RunsByProgram earlier,
                                         Conditions conditions) {
  GroupsOfPrograms learned;
  for (const auto& [name, kind] : kinds_) learned[{name, program}] = kind.group;
  std::set<std::string> machines;
  for (const auto& [name, kind] : kinds_) machines.insert(kind.machine);
  // The newest runs come first, because learning uses a limited number of slices.
  for (auto& [of, runs_of_program] : earlier)
    for (auto run = runs_of_program.rbegin(); run != runs_of_program.rend(); ++run) {
      if (!machines.contains(machine_of(*run))) continue;
      const auto profile =
          of == program ? learn_start(*run, conditions) : profile_without_logs(*run, conditions);
      if (!profile) continue;
      if (const std::string kind = kind_of(*run, *profile); kinds_.contains(kind))
        learned[{kind, of}].add(*run, *profile);
    }
  return learned;
}

void Moments::Group::add(const Run& run, const LapProfile& profile) {
  if (profile.slices.empty()) return;
  const RunStart start = start_of(run);
  if (!first) first = start;
  const std::size_t candidate =
      candidates.try_emplace(candidate_of_run(run.context), candidates.size()).first->second;
  add_slices(slices, profile, candidate, starts, seconds_between(*first, start));
  ++starts;
}

void Moments::correct_start(Assessment& assessment, const Run& run) const {
  const std::string machine = machine_of(run), candidate = candidate_of_run(run.context);
  const auto next = starts_.next_of(machine, candidate);
  if (!next) return;
  LapProfile& profile = *assessment.profile;
  profile.next_init = next;
  assessment.forecast = forecast(profile, *assessment.plan, assessment.forecast->method);
  // For compiled code, with_compiled_code() notes both cases.
  if (!assessment.forecast || cache_state_of(compile_caches_of(run)) != CacheState::unknown) return;
  const Seconds total = assessment.forecast->total.mid;
  const Seconds cold = total + starts_.cold_of(machine, candidate).value_or(next->mid) - next->mid;
  if (is_worth_saying(total, cold))
    profile.notes.push_back(fmt::format(
        "the forecast is for a warm start, as the next one here; after a cold one, as on a fresh "
        "machine, {}",
        format_duration(cold)));
}

Assessment Moments::corrected(Assessment assessment, const Run& run) const {
  if (!assessment.forecast) return assessment;
  correct_start(assessment, run);
  const auto found = kinds_.find(kind_of(run, *assessment.profile));
  if (found == kinds_.end()) return assessment;
  const Kind& kind = found->second;
  const auto candidate = kind.group.candidates.find(candidate_of_run(run.context));
  if (candidate == kind.group.candidates.end()) return assessment;
  Forecast& forecast = *assessment.forecast;
  const double own = std::log(assessment.profile->steady.mean.mid.count());
  ForecastPart& part = part_of(forecast, PartKind::laps);
  const Seconds laps = part.time.mid;
  const SpeedEstimates& estimates = kind.estimates[candidate->second / kMostCandidates];
  const std::size_t of_part = candidate->second % kMostCandidates;
  Interval<double> of_run = estimates.run_of(of_part, laps.count());
  // The middle is that over all moments, whatever the length of the run, so that one factor
  // corrects the forecasts of all plans.
  of_run.mid = estimates.median_of(of_part);
  of_run.low = std::min(of_run.low, of_run.mid);
  of_run.high = std::max(of_run.high, of_run.mid);
  assessment.log_laps = of_run.mid - own;
  const Seconds mid = total_with_laps(forecast, assessment.log_laps);
  const Seconds rest = mid - laps * std::exp(assessment.log_laps);
  correct_warm_up(forecast, assessment.log_laps);
  const ErrorsBesideLaps errors(forecast);
  const double share = std::clamp(1 - rest / mid, 0.0, 1.0);
  forecast.total = total_of(mid, share, of_run, errors);
  part.time = {laps * std::exp(of_run.low - own), laps * std::exp(of_run.mid - own),
               laps * std::exp(of_run.high - own)};
  forecast.spread_between_runs = estimates.spread_of_runs(laps.count());
  constexpr double kLeastShare = 0.05;  // of the forecast: no case takes less
  auto cases = std::make_shared<std::vector<double>>();
  SeededNumbers numbers(candidate->second + 1);
  for (const std::vector<double>& draw : kind.draws) {
    const double z = numbers.normal() / kZ95;
    const double others = rest.count() + z * (z < 0 ? errors.below : errors.above);
    const double of_laps = laps.count() * std::exp(draw[candidate->second] - own);
    cases->push_back(std::max(kLeastShare * mid.count(), others + of_laps));
  }
  assessment.cases = std::move(cases);
  return assessment;
}

}  // namespace lapcast
