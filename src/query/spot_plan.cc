#include "query/spot_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "core/units.h"
#include "probe/ids_and_time.h"
#include "query/heartbeat_files.h"
#include "query/input_files.h"
#include "spot/lifetimes.h"
#include "spot/planned_policy.h"

namespace lapcast {
namespace {

constexpr double kTicksOfWork = 288;  // as many as in the tests of the policies (docs/money.md)
constexpr double kChange = 0.002;     // chance per tick that the supply changes
constexpr std::size_t kFewestFutures = 10;
constexpr double kFutures = 200;  // upper limit for judging

constexpr double kFewestTicks = 24;    // of work; with fewer, policies cannot be compared
constexpr double kMostTicks = 50'000;  // of a trace
constexpr double kMostPlans = 5e8;     // bytes
constexpr int kJobs = 2000;            // that are simulated where the work is known exactly
constexpr std::uint64_t kSeed = 1;

using Ticks = std::vector<std::uint8_t>;

/// Returns the bytes of the plans for all supplies (spot/planned_policy.h).
double bytes_of_plans(const DeadlineJob& job) {
  const double idle = std::max(1.0, static_cast<double>(job.deadline) - job.work);
  return 8.0 * (2.0 * job.restart + 1) * job.work * idle *
         static_cast<double>(supply_grid(300).size());
}

bool is_heartbeat_file(const std::string& text) {
  return !parse_heartbeats(text).heartbeats.empty();
}

/// Judges the policies on the second half of the ticks; ours learns from the first half.
Result<std::vector<JudgedPolicy>> judged(const DeadlineJob& job, const Ticks& ticks, Seconds tick,
                                         std::size_t& count) {
  if (!job.valid())
    return because("no policy meets this deadline: it is shorter than start and work together");
  const std::size_t half = ticks.size() / 2;
  const auto size = static_cast<std::size_t>(job.deadline);
  std::vector<std::span<const std::uint8_t>> futures;
  const auto later = std::span(ticks).subspan(half);
  const double starts = static_cast<double>(later.size()) - static_cast<double>(size) + 1;
  const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(starts / kFutures)));
  for (std::size_t begin = 0; begin + size <= later.size(); begin += step)
    futures.push_back(later.subspan(begin, size));
  count = futures.size();
  if (count < kFewestFutures)
    return because(
        "half of the trace has too few starts with so long a deadline: a longer trace "
        "is needed to compare policies");
  const std::vector<Ticks> learned{Ticks(ticks.begin(), ticks.begin() + std::ssize(ticks) / 2)};
  const auto plans = std::make_shared<const DeadlinePlans>(
      plans_for(job, learned_prior(supply_grid(tick.count()), learned, kChange)));
  const NamedPolicy policies[] = {{"spot only", spot_only, SafetyNet::without},
                                  {"on demand only", on_demand_only},
                                  {"greedy", greedy},
                                  {"switch back", switch_back},
                                  {"uniform progress", uniform_progress},
                                  {"planned", planned_policy(plans)}};
  return judge_policies(job, policies, futures);
}

void compare_policies(SpotPlan& plan, const SpotPlanRequest& request,
                      std::span<const PresenceSpan> spans) {
  if (!request.deadline) return;
  if (plan.forecast) plan.in_time = plan.forecast->in_time(*request.deadline);
  if (!request.spot_price || !request.on_demand_price) {
    plan.policies = because("policies are compared by cost: give --spot-price and --price");
    return;
  }
  if (spans.empty()) {
    plan.policies = because("policies learn from a trace: give one instead of --interruptions");
    return;
  }
  // A policy's ticks do not include checkpoints: their share lengthens the work.
  const double saved = plan.job.interval.count() + request.costs.checkpoint.count();
  const Seconds work = request.work * (saved / plan.job.interval.count());
  const double share =
      request.spot_price->per_hour.dollars() / request.on_demand_price->per_hour.dollars();
  if (!(share <= 1)) {
    plan.policies = because("a spot machine is not cheaper than one on demand: spot gains nothing");
    return;
  }
  double ticks = std::min(kTicksOfWork, kMostTicks * (work / plan.read.trace.length()));
  const auto job_of = [&](Seconds tick) {
    const auto count = [&](Seconds time) {
      return static_cast<int>(std::min(1e6, std::ceil(time / tick)));
    };
    return DeadlineJob{.work = count(work),
                       .deadline = static_cast<int>(std::min(1e6, *request.deadline / tick)),
                       .restart = std::max(1, count(request.costs.restart)),
                       .spot_price = share};
  };
  while (ticks >= kFewestTicks && bytes_of_plans(job_of(work / ticks)) > kMostPlans) ticks *= 0.8;
  const Seconds tick = work / ticks;
  if (ticks < kFewestTicks) {
    plan.policies = because(
        "the work is too short beside the trace, or the deadline too far away, for policies to be "
        "compared");
    return;
  }
  plan.policies = judged(job_of(tick), ticks_of(spans, tick), tick, plan.futures);
}

std::vector<CheckpointChoice> choices_of(const LifetimeDistribution& lifetimes,
                                         const SpotPlanRequest& request) {
  const CheckpointCosts& costs = request.costs;
  std::vector<CheckpointChoice> choices;
  const auto add = [&](const char* method, Seconds interval) {
    if (interval.count() > 0)
      choices.push_back({method, {interval, expected_losses(lifetimes, costs, interval)}});
  };
  if (!request.saves) return choices;
  if (request.interval) add("as requested", *request.interval);
  if (const auto best = best_interval(lifetimes, costs)) choices.push_back({"best", *best});
  add("Young", young_interval(costs.checkpoint, lifetimes.mean()));
  add("Daly", daly_interval(costs.checkpoint, lifetimes.mean()));
  return choices;
}

/// Adds the intervals between checkpoints, and the job with the one that is used.
void add_job(SpotPlan& plan, const SpotPlanRequest& request,
             const LifetimeDistribution& lifetimes) {
  plan.intervals = choices_of(lifetimes, request);
  plan.job = {.work = request.work, .interval = Seconds{0}, .costs = request.costs};
  if (!request.saves)
    plan.job.interval = kNoInterval;
  else if (!plan.intervals.empty())
    plan.job.interval = plan.intervals[0].plan.interval;
  if (const auto reason = why_not_valid(plan.job)) throw Error(ExitCode::usage, reason->text);
}

Result<SpotForecast> forecast_at_rate(const SpotJob& job, std::vector<double> works,
                                      const SpotSupply& supply) {
  if (works.empty()) works.assign(kJobs, job.work.count());
  const auto cases = simulated_cases(job, works, supply, kSeed);
  if (!cases) return tl::unexpected(cases.error());
  return forecast_of_cases(job, *cases, supply, kSeed);
}

SpotPlan plan_at_rate(const SpotPlanRequest& request) {
  SpotPlan plan;
  const auto sessions = LifetimeDistribution::exponential(*request.between_interruptions);
  if (!sessions) throw Error(ExitCode::usage, sessions.error().text);
  std::optional<LifetimeDistribution> waits;
  if (request.wait.count() > 0)
    if (const auto made = LifetimeDistribution::exponential(request.wait)) waits = *made;
  add_job(plan, request, *sessions);
  plan.forecast = forecast_at_rate(plan.job, request.works, supply_of(*sessions, waits));
  compare_policies(plan, request, {});
  return plan;
}

SpotPlan plan_on_trace(const SpotPlanRequest& request) {
  SpotPlan plan;
  plan.read = read_trace(request.trace_file);
  plan.spans = machines_of(plan.read, request.trace_file, request.machines);
  const std::vector<PresenceSpan>& spans = plan.spans;
  plan.sessions = lifetimes_of(spans, Presence::there);
  plan.waits = lifetimes_of(spans, Presence::absent);
  for (const PresenceSpan& span : spans) {
    if (span.presence == Presence::there) plan.there += span.length();
    if (span.presence != Presence::unknown) plan.recorded += span.length();
  }
  add_job(plan, request, *sessions_after(spans));  // machines_of() checked this
  plan.forecast = forecast_on_spot(plan.job, spans, {}, kJobs, kSeed, request.works);
  const Seconds start = std::ranges::find(spans, Presence::there, &PresenceSpan::presence)->begin;
  plan.steps = SpotSteps(start);
  run_on_trace(plan.job, spans, start, &plan.steps);
  compare_policies(plan, request, spans);
  return plan;
}

}  // namespace

ReadTrace read_trace(const std::string& file) {
  const std::string text = read_file(file, "the trace");
  if (is_heartbeat_file(text)) {
    const SoakRecord record = read_heartbeats({file}).record;
    if (record.machines.size() > 1)
      throw Error(ExitCode::bad_input,
                  printable(file) + ": heartbeats of several machines; give a file of one machine");
    return trace_of(record.machines.front());
  }
  auto read = parse_availability_trace(text, today());
  if (!read)
    throw Error(ExitCode::bad_input,
                printable(file) + ": not a trace of machines: " + read.error().text);
  return *std::move(read);
}

PriceHistory read_price_history(const std::string& file) {
  auto history = parse_price_history(read_file(file, "the history of prices"), today());
  if (!history)
    throw Error(ExitCode::bad_input,
                printable(file) + ": not a history of prices: " + history.error().text);
  return *std::move(history);
}

std::vector<PresenceSpan> machines_of(const ReadTrace& read, const std::string& file,
                                      int machines) {
  std::vector<PresenceSpan> spans = presence_of(read.trace, machines);
  if (!LifetimeDistribution::of(lifetimes_of(spans, Presence::there)))
    throw Error(ExitCode::bad_input,
                printable(file) + ": so many machines were never there at once");
  return spans;
}

SpotPlan plan_on_spot(const SpotPlanRequest& request) {
  return request.trace_file.empty() ? plan_at_rate(request) : plan_on_trace(request);
}

}  // namespace lapcast
