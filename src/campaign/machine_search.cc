#include "campaign/machine_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "campaign/rent_plan.h"
#include "core/units.h"
#include "extrapolate/machine_factors.h"
#include "fleet/fleet_file.h"
#include "fleet/worker_gpus.h"
#include "price/quote.h"
#include "query/forecast_run.h"
#include "query/home_measurement.h"
#include "query/sweep_state.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

/// Returns the offer of a machine of the fleet, under the machine's name.
Offer offer_named(const FleetMachine& machine, std::span<const Offer> offers) {
  const Offer* known = offer_of(machine, offers);
  Offer offer = known == nullptr ? Offer() : *known;
  offer.name = machine.type.name;
  return offer;
}

Seconds time_of_probe(const Run& run) {
  Seconds time = run.wall();
  for (const PreparationStep& step : run.preparation) time += step.time;
  return time;
}

/// Returns how long a probe takes on a machine that need not be rented, before the first one.
Seconds first_own_probe(const HomeMeasurement& home, const ProbeLimits& limits) {
  const Seconds most = limits.budget > Seconds{0} ? limits.budget : kProbeRental;
  return home.run_time > Seconds{0} ? std::min(home.run_time, most) : most;
}

}  // namespace

void refuse_without_prices(const SweepPlan& plan, std::span<const Offer> offers) {
  for (const FleetMachine& machine : plan.fleet.machines)
    if (offer_of(machine, offers) == nullptr)
      throw Error(ExitCode::bad_input,
                  fmt::format("machine '{}' has no price: add price = \"0.40\" (USD per hour, "
                              "\"0\" where it costs nothing), or search --by time",
                              printable(machine.type.name)));
}

void train_on_whole_machines(SweepPlan& plan) {
  for (RunContext& candidate : plan.candidates) {
    const FleetMachine* machine = machine_named(plan.fleet, candidate.machine_type.name);
    const auto workers = candidate.settings.find(kWorkersSetting);
    if (machine == nullptr || workers == candidate.settings.end() || gpus_of(*machine) < 2)
      continue;
    workers->second = std::to_string(gpus_of(*machine));
    take_price(*machine, candidate.settings, candidate);
  }
}

MachineSearch::MachineSearch(const SweepPlan& plan, const std::vector<Offer>& offers,
                             HomeMeasurement home, SearchGoal goal)
    : training_(plan.request.probe.context.plan),
      home_(std::move(home)),
      goal_(std::move(goal)),
      own_probe_(first_own_probe(home_, plan.request.probe.limits)) {
  const bool is_told_workers = std::ranges::any_of(
      plan.candidates,
      [](const RunContext& candidate) { return candidate.settings.contains(kWorkersSetting); });
  if (!is_told_workers) home_.on_workers.clear();  // probes train on one accelerator
  for (const FleetMachine& machine : plan.fleet.machines) {
    Machine searched{offer_named(machine, offers), {}, {}, machine.rent.has_value()};
    Offer& offer = searched.offer;
    const bool is_here = is_this_machine(machine.place_setup.place);
    if (is_here && home_.accelerator != nullptr && offer.accelerator.empty()) {
      offer.accelerator = home_.accelerator->name;
      offer.accelerator_count = 1;
    }
    if (offer.accelerator.empty()) {
      searched.cpu = CpuMachine{machine.type.name, offer.vcpus.value_or(0), machine.type.cpu_quota};
      if (is_here) searched.cpu = cpu_machine_of(machine.type, plan.request.probe.context.machine);
    }
    for (const RunContext& candidate : plan.candidates)
      if (candidate.machine_type.name == machine.type.name)
        if (const Reason* reason = why_impossible(plan, candidate)) searched.impossible = *reason;
    machines_.emplace(machine.type.name, std::move(searched));
  }
}

void MachineSearch::take_run(const Run& run, const RunAssessor& judge_run, SearchState& state,
                             ShortlistSize& size, std::map<std::string, Reason>& failed) const {
  const std::string& name = run.context.machine_type.name;
  const auto machine = machines_.find(name);
  if (machine == machines_.end() || run.context.kind != RunKind::probe) return;
  if (std::holds_alternative<outcome::Interrupted>(run.outcome)) return;  // it is made again
  const Offer& offer = machine->second.offer;
  if (!has_laps(run.outcome)) {
    failed.insert_or_assign(name, Reason{describe(run.outcome)});
    return;
  }
  const AcceleratorSpec* spec = nullptr;
  if (const auto match = AcceleratorTable::shipped().find(offer); match && !machine->second.cpu)
    spec = match->accelerator;
  auto probe = probe_lap_of(run, judge_run, spec);
  if (!probe) {
    failed.insert_or_assign(name, probe.error());
    return;
  }
  if (probe->cpu) size.cpus.insert_or_assign(name, *probe->cpu);
  state.home.probes.push_back(*std::move(probe));
}

SearchState MachineSearch::judge(std::span<const Run> runs, const Store& store) const {
  SearchState state{home_, {}, {}, {}, {}};
  ShortlistSize size{
      .rows = std::numeric_limits<std::size_t>::max(), .each_offer = true, .assume = true};
  std::map<std::string, Reason> failed;
  for (const auto& [name, machine] : machines_) {
    if (machine.cpu) size.cpus[name] = *machine.cpu;
    if (machine.impossible) failed.insert({name, *machine.impossible});
  }
  RunForecaster forecaster(store);
  const RunAssessor judge_run = [&](const Run& run) { return forecaster.forecast(run, training_); };
  for (const Run& run : newest_of_each({runs.begin(), runs.end()}))
    take_run(run, judge_run, state, size, failed);
  for (const Run& run : runs) {
    const auto machine = machines_.find(run.context.machine_type.name);
    if (machine == machines_.end()) continue;
    const auto bill = quote(machine->second.offer, Interval<Seconds>::exactly(time_of_probe(run)));
    if (bill) state.spent = saturating_sum(state.spent, bill->total.mid);
  }
  size.probe_times = probe_times(runs);
  std::vector<const Offer*> offers;
  for (const auto& [name, machine] : machines_)
    if (!failed.contains(name)) offers.push_back(&machine.offer);
  auto list =
      make_shortlist(state.home, offers, goal_.preferences, size, AcceleratorTable::shipped(),
                     read_machine_factors(machine_factors_csv()));
  if (!list) throw Error(ExitCode::some_failed, list.error().text);
  state.list = *std::move(list);
  for (const auto& [name, reason] : failed)
    state.list.without.push_back({printable(reason.text), 1, name});
  decide(state);
  return state;
}

std::map<std::string, Seconds> MachineSearch::probe_times(std::span<const Run> runs) const {
  std::map<bool, std::vector<double>> seen;  // seconds, by whether the machine is rented
  for (const Run& run : runs) {
    const auto machine = machines_.find(run.context.machine_type.name);
    if (machine != machines_.end() && has_laps(run.outcome))
      seen[machine->second.is_rented].push_back(time_of_probe(run).count());
  }
  std::map<std::string, Seconds> times;
  for (const auto& [name, machine] : machines_) {
    const std::vector<double>& own = seen[machine.is_rented];
    const Seconds before = machine.is_rented ? kProbeRental : own_probe_;
    times[name] = own.empty() ? before : Seconds{mean(own)};
  }
  return times;
}

void MachineSearch::decide(SearchState& state) const {
  const Shortlist& list = state.list;
  const std::string left = format_share(list.regret);
  if (list.rows.empty()) {
    state.why = "no machine can be forecast";
  } else if (list.regret <= goal_.regret) {
    state.why =
        fmt::format("its expected regret, {}, is not above {}", left, format_share(goal_.regret));
  } else if (list.probes.empty()) {
    state.why =
        fmt::format("no probe is worth its price any more, at an expected regret of {}", left);
  } else if (goal_.budget &&
             saturating_sum(state.spent, list.probes.front().price) > *goal_.budget) {
    state.why = fmt::format(
        "the next probe would cost more than is left of {}, at an expected "
        "regret of {}",
        dollar_text(*goal_.budget), left);
  } else {
    const ShortlistProbe& probe = list.probes.front();
    state.next = probe.offer->name;
    const std::string worth = goal_.preferences.by == Objective::time
                                  ? std::string()
                                  : fmt::format("is worth {}, ", dollar_text(probe.worth));
    state.why = fmt::format("it {}costs about {}, and leaves an expected regret of {} of {}", worth,
                            dollar_text(probe.price), format_share(probe.regret_after), left);
  }
}

}  // namespace lapcast
