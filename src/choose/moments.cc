#include "choose/moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "choose/odds.h"
#include "core/hash.h"
#include "core/units.h"
#include "run/secrets.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

constexpr std::uint64_t kSeed = 14;
constexpr std::size_t kMostSlices = 300;  // of a group that is estimated

/// Returns what is expected of a machine of whose speed nothing was seen yet (docs/forecast.md).
WanderPrior prior_of(const RunContext& context) {
  const MachineType& type = context.machine_type;
  if (type.exclusive)
    return {.quick = 0.01, .slow = 0.006, .start = 0.01, .doubt = 0.7, .slow_doubt = 0.7};
  if (context.machine.hypervisor.empty()) return {};
  WanderPrior guest{.quick = 0.02, .slow = 0.015, .start = 0.07, .doubt = 0.6, .slow_doubt = 0.9};
  if (type.cpus.empty() || type.cpus.size() >= context.machine.allowed_cpus.size())
    guest.quick = guest.slow = 0.1;
  else if (type.cpu_quota)
    guest.quick = 0.03, guest.slow = 0.02;
  return guest;
}

/// Adds the slices of a run's laps, which began at `begun_s` on the clock of the group.
void add_slices(std::vector<SpeedSlice>& slices, const LapProfile& profile, std::size_t candidate,
                std::size_t start, double begun_s) {
  for (const LapSlice& slice : profile.slices)
    slices.push_back({candidate, start, begun_s + slice.begin_s, begun_s + slice.end_s,
                      std::log(slice.lap_s), slice.error});
}

/// Joins neighbouring slices of one start until there are at most so many, or one for each start.
std::vector<SpeedSlice> thinned(std::vector<SpeedSlice> slices, std::size_t most) {
  for (bool joined = true; joined && slices.size() > most;) {
    joined = false;
    std::vector<SpeedSlice> result;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      SpeedSlice slice = slices[i];
      if (i + 1 < slices.size() && slices[i + 1].start == slice.start) {
        const SpeedSlice& next = slices[++i];
        slice.end_s = next.end_s;
        slice.log_lap = (slice.log_lap + next.log_lap) / 2;
        slice.error = std::hypot(slice.error, next.error) / 2;
        joined = true;
      }
      result.push_back(slice);
    }
    slices = std::move(result);
  }
  return slices;
}

std::string candidate_of_run(const RunContext& context) {
  return fmt::format("{}\n{}\n{}", context.machine_type.name, settings_text(context),
                     fmt::join(context.program, "\n"));
}

/// Returns a seed for draws that all candidates of a machine have in common.
std::uint64_t seed_of(const std::string& machine) {
  Fnv1a hash;
  hash.add(machine);
  return hash.value();
}

/// Returns what runs have in common that a busy machine slows alike: the machine, the number of its
/// CPUs that they may use, and whether a quota keeps them below these.
std::string kind_of(const Run& run) {
  const MachineType& type = run.context.machine_type;
  return fmt::format("{}\n{}\n{}", machine_of(run), type.cpus.size(),
                     type.cpu_quota ? "quota" : "");
}

/// Returns the part of the laps, which every forecast of Method::lapcast has.
ForecastPart& part_of_laps(Forecast& forecast) {
  return *std::ranges::find(forecast.parts, PartKind::laps, &ForecastPart::kind);
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

/// Returns the interval of a total of which a share has this interval of its logarithm, and the
/// rest these errors.
Interval<Seconds> total_of(Seconds mid, double share, const Interval<double>& log_laps,
                           const ErrorsBesideLaps& errors) {
  constexpr double kMostBelow = 0.95;
  const double below = std::min(kMostBelow, errors.below / mid.count());
  const double above = errors.above / mid.count();
  return {mid * std::exp(-std::hypot(std::log1p(-below), share * (log_laps.mid - log_laps.low))),
          mid,
          mid * std::exp(std::hypot(std::log1p(above), share * (log_laps.high - log_laps.mid)))};
}

}  // namespace

double wander_of_rest(const RunContext& context, const LapProfile& profile, Seconds rest) {
  if (profile.slices.empty() || !(rest.count() > 0)) return 0;
  std::vector<SpeedSlice> slices;
  add_slices(slices, profile, 0, 0, 0);
  SpeedModel model(prior_of(context));
  model.learn(slices);
  const Interval<double> of_rest = model.estimate(slices).run_of(0, rest.count());
  return (of_rest.high - of_rest.low) / 2;
}

Moments::Moments(std::span<const Run> runs, const std::string& program,
                 const RunsByProgram& earlier, Conditions conditions) {
  for (const Run& run : runs) {
    Kind& kind = kinds_[kind_of(run)];
    if (kind.group.starts == 0) {
      kind.prior = prior_of(run.context);
      kind.machine = machine_of(run);
    }
    kind.group.add(run, conditions);
  }
  std::erase_if(kinds_, [](const auto& each) { return each.second.group.slices.empty(); });
  std::map<std::pair<std::string, std::string>, Group> learned;  // by kind and program
  for (const auto& [name, kind] : kinds_) learned[{name, program}] = kind.group;
  // The newest first, because learning looks at so many slices only.
  for (const auto& [of, runs_of_program] : earlier)
    for (auto run = runs_of_program.rbegin(); run != runs_of_program.rend(); ++run)
      if (const std::string kind = kind_of(*run); kinds_.contains(kind))
        learned[{kind, of}].add(*run, conditions);
  std::uint64_t seed = kSeed;
  for (auto& [name, kind] : kinds_) {
    SpeedModel model(kind.prior);
    for (const auto& [key, group] : learned)
      if (key.first == name) model.learn(thinned(group.slices, SpeedModel::kMostSlices));
    kind.estimates = model.estimate(thinned(kind.group.slices, kMostSlices));
    kind.draws = kind.estimates.draws(kCases, seed++, seed_of(kind.machine));
  }
}

/// Returns the time from the start of the first run to that of this one: by the clock that never
/// jumps, or, where that began anew because the machine was started again, by the time of day.
double Moments::Group::seconds_after_first(const Run& run) const {
  constexpr double kSameClock = 5;
  const double steady = from_ns(run.started_ns - *first_ns).count();
  const auto at = parse_utc(run.context.started_at);
  if (!at || !first_at) return steady;
  const auto by_day = static_cast<double>((*at - *first_at).count());
  return std::abs(by_day - steady) < kSameClock ? steady : by_day;
}

void Moments::Group::add(const Run& run, Conditions conditions) {
  const auto profile = profile_of(run, 0, conditions);
  if (!profile || profile->slices.empty()) return;
  if (!first_ns) {
    first_ns = run.started_ns;
    first_at = parse_utc(run.context.started_at);
  }
  const std::size_t candidate =
      candidates.try_emplace(candidate_of_run(run.context), candidates.size()).first->second;
  add_slices(slices, *profile, candidate, starts, seconds_after_first(run));
  ++starts;
}

Assessment Moments::corrected(Assessment assessment, const Run& run) const {
  if (!assessment.forecast) return assessment;
  const auto found = kinds_.find(kind_of(run));
  if (found == kinds_.end()) return assessment;
  const Kind& kind = found->second;
  const auto candidate = kind.group.candidates.find(candidate_of_run(run.context));
  if (candidate == kind.group.candidates.end()) return assessment;
  Forecast& forecast = *assessment.forecast;
  const double own = std::log(assessment.profile->steady.mean.mid.count());
  ForecastPart& part = part_of_laps(forecast);
  const Seconds laps = part.time.mid;
  const Seconds rest = forecast.total.mid - laps;
  const Interval<double> of_run = kind.estimates.run_of(candidate->second, laps.count());
  const Seconds mid = rest + laps * std::exp(of_run.mid - own);
  if (!(mid.count() > 0)) return assessment;
  const ErrorsBesideLaps errors(forecast);
  const double share = std::clamp(1 - rest / mid, 0.0, 1.0);
  forecast.total = total_of(mid, share, of_run, errors);
  part.time = {laps * std::exp(of_run.low - own), laps * std::exp(of_run.mid - own),
               laps * std::exp(of_run.high - own)};
  forecast.spread_between_runs = kind.estimates.spread_of_runs(laps.count());
  auto cases = std::make_shared<std::vector<double>>();
  SeededNumbers numbers(candidate->second + 1);
  for (const std::vector<double>& draw : kind.draws) {
    const double z = numbers.normal() / kZ95;
    const double others = std::max(0.0, rest.count() + z * (z < 0 ? errors.below : errors.above));
    cases->push_back(others + laps.count() * std::exp(draw[candidate->second] - own));
  }
  assessment.cases = std::move(cases);
  return assessment;
}

}  // namespace lapcast
