#include "shortlist/set_cases.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/hash.h"
#include "extrapolate/device_and_host.h"
#include "extrapolate/transfer.h"
#include "extrapolate/worker_scaling.h"
#include "rank/transferred_cases.h"
#include "stats/distributions.h"

namespace lapcast::shortlist {
namespace {

constexpr std::size_t kTurns = 5;  // draws of random probes from each home
constexpr double kApart = 4;       // between two batches at home

Judged judged_normal(const std::string& task, double mean, double sd, double truth) {
  return {task, mean - truth, mean - kZ95 * sd - truth, mean + kZ95 * sd - truth};
}

}  // namespace

PublicSets::PublicSets(const std::string& folder) {
  for (const auto read : {read_lambda, read_profet, read_neusight, read_sia, read_gavel,
                          read_megatron, read_mlperf, read_timm})
    rows.push_back(read(folder));
  lambda = rows.front();
}

std::vector<ProgramRow> PublicSets::without(const std::string& set) const {
  std::vector<ProgramRow> programs;
  for (const auto& one : rows)
    if (class_of(one.front().set) != set)
      for (ProgramRow& program : programs_of(device_bound(one)))
        programs.push_back(std::move(program));
  return programs;
}

std::vector<MachineItem> items_of(const std::vector<ProgramRow>& programs) {
  std::vector<MachineItem> items;
  for (const ProgramRow& program : programs)
    for (const MachineItem& item : program.items)
      if (std::ranges::find(items, item) == items.end()) items.push_back(item);
  return items;
}

void judge_program(const MachineFactors& factors, const ProgramRow& program, std::size_t probes,
                   const ForecastWay& way, std::vector<Judged>& judged) {
  const std::size_t n = program.items.size();
  const Gaussian before = program_on(factors, program.items, way.inflation);
  Fnv1a seed;
  seed.add(program.program);
  SeededNumbers random(seed.value());
  const std::size_t turns = probes == 0 ? 1 : kTurns;
  for (std::size_t turn = 0; turn < turns * n; ++turn) {
    const std::size_t home = turn % n;
    std::vector<std::size_t> known{home}, others;
    for (std::size_t i = 0; i < n; ++i)
      if (i != home) others.push_back(i);
    for (std::size_t k = 0; k < probes && !others.empty(); ++k) {
      const auto at = std::min(static_cast<std::size_t>(random.uniform() * double(others.size())),
                               others.size() - 1);
      known.push_back(others[at]);
      others.erase(others.begin() + long(at));
    }
    Gaussian after = before;
    for (const std::size_t i : known) condition(after, i, program.log_seconds[i], kLapNoise);
    for (const std::size_t i : others) {
      const Interval<double> t = with_host_part(
          {after.mean[i], std::sqrt(std::max(0.0, after.cov(i, i)) + kLapNoise * kLapNoise)},
          program.log_seconds[home], way.host_share);
      const double truth = program.log_seconds[i];
      judged.push_back({program.task, t.mid - truth, t.low - truth, t.high - truth});
    }
  }
}

std::string family_of(const MachineItem& item) {
  static const std::map<std::string, std::string> kFamilies{{"ga100", "A100"},
                                                            {"pascal100", "P100"}};
  const std::string family = AcceleratorTable::shipped().named(item.accelerator)->family;
  const auto found = kFamilies.find(family);
  return found == kFamilies.end() ? family : found->second;
}

std::vector<Judged> judge_families(const PublicSets& sets, const FitConstants& constants) {
  std::vector<ProgramRow> all = sets.without("lambda");
  std::vector<ProgramRow> lambda;
  for (ProgramRow& program : programs_of(sets.lambda)) {
    all.push_back(program);
    if (program.set == "lambda0") lambda.push_back(program);
  }
  std::set<std::string> families;
  for (const MachineItem& item : items_of(lambda)) families.insert(family_of(item));
  std::vector<Judged> judged;
  for (const std::string& family : families) {
    std::vector<ProgramRow> rest;
    for (ProgramRow program : all) {
      ProgramRow kept = program;
      kept.items.clear();
      kept.log_seconds.clear();
      for (std::size_t i = 0; i < program.items.size(); ++i)
        if (family_of(program.items[i]) != family) {
          kept.items.push_back(program.items[i]);
          kept.log_seconds.push_back(program.log_seconds[i]);
        }
      if (kept.items.size() > 1) rest.push_back(kept);
    }
    const FittedFactors fitted = fit_factors(rest, constants);
    const MachineFactors factors = with_items(fitted.seen.at("lambda"), items_of(lambda),
                                              AcceleratorTable::shipped(), constants.prior);
    for (const ProgramRow& program : lambda) {
      Gaussian known = program_on(factors, program.items);
      std::size_t seen = 0;
      for (std::size_t i = 0; i < program.items.size(); ++i)
        if (family_of(program.items[i]) != family) {
          condition(known, i, program.log_seconds[i], kLapNoise);
          ++seen;
        }
      for (std::size_t i = 0; seen > 0 && i < program.items.size(); ++i)
        if (family_of(program.items[i]) == family)
          judged.push_back(
              judged_normal(program.task, known.mean[i],
                            std::sqrt(std::max(0.0, known.cov(i, i)) + kLapNoise * kLapNoise),
                            program.log_seconds[i]));
    }
  }
  return judged;
}

std::vector<Judged> judge_several(const PublicSets& sets, const MachineFactors& factors,
                                  const std::string& folder, bool of_same) {
  const auto& table = AcceleratorTable::shipped();
  const std::vector<SetRow> several = read_lambda_of_several(folder);
  std::vector<Judged> judged;
  for (const SetRow& row : sets.lambda) {
    HomeMeasurement home;
    home.accelerator = table.named(row.item.accelerator);
    home.precision = row.item.precision;
    const Seconds lap{std::exp(row.log_seconds)};
    home.laps = {{1, lap.count(), {}}};
    home.laps_of_training = {lap, lap, lap};
    home.on_workers = {{.batch = 1,
                        .lap = {lap * (1 - kLapNoise), lap, lap * (1 + kLapNoise)},
                        .training = home.laps_of_training}};
    std::vector<MachineKind> kinds;
    std::vector<double> truths;
    for (const SetRow& other : several) {
      const bool is_same = other.item.accelerator == row.item.accelerator;
      if (other.program != row.program || is_same != of_same) continue;
      kinds.push_back({table.named(other.item.accelerator), 1, {}, other.accelerators});
      truths.push_back(other.log_seconds - row.log_seconds);
    }
    if (kinds.empty()) continue;
    const auto cases = transferred_cases(kinds, home, table, factors);
    const auto found = intervals_of_draws(cases.log_ratio, kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i)
      judged.push_back({row.task, found[i].mid - truths[i], found[i].low - truths[i],
                        found[i].high - truths[i]});
  }
  return judged;
}

std::vector<Judged> judge_two_batches(const PublicSets& sets, const FitConstants& constants) {
  std::vector<SetRow> sia;
  for (const auto& rows : sets.rows)
    if (rows.front().set == "sia") sia = rows;
  const std::vector<MachineItem> items = items_of(programs_of(sia));
  const MachineFactors factors = with_items(fit_factors(sets.without("sia"), constants).unseen,
                                            items, AcceleratorTable::shipped(), constants.prior);
  Gaussian relative = program_on(factors, items, 1);
  for (double& value : relative.covariance) value -= kFlatSd * kFlatSd;
  std::map<std::string, std::map<std::size_t, std::map<double, double>>> laps;
  for (const SetRow& row : sia)
    laps[row.task][std::size_t(std::ranges::find(items, row.item) - items.begin())][row.batch] =
        row.log_seconds;
  std::vector<Judged> judged;
  for (const auto& [task, machines] : laps)
    for (const auto& [home, at_home] : machines) {
      // The batches whose laps are known elsewhere, too, in their order.
      std::vector<double> batches;
      for (const auto& [batch, lap] : at_home) batches.push_back(batch);
      for (std::size_t i = 0; i + 1 < batches.size(); ++i) {
        // The asked batch and the first one that is four times as large.
        std::size_t j = i + 1;
        while (j + 1 < batches.size() && batches[j] < kApart * batches[i] * 0.99) ++j;
        DeviceAndHost model(relative);
        for (const double batch : {batches[i], batches[j]})
          model.add_lap(home, batch, at_home.at(batch));
        std::vector<DeviceAndHost::Asked> asked;
        std::vector<double> truths;
        for (const auto& [machine, there] : machines)
          for (const double batch : {batches[i], batches[j]})
            if (machine != home && there.contains(batch)) {
              asked.push_back({machine, batch});
              truths.push_back(there.at(batch));
            }
        const auto cases = model.draws(asked, 300, 1);
        for (std::size_t a = 0; a < asked.size(); ++a) {
          std::vector<double> one;
          for (std::size_t s = 0; s < 300; ++s) one.push_back(cases[s * asked.size() + a]);
          judged.push_back({task, quantile_of(one, .5) - truths[a],
                            quantile_of(one, .025) - truths[a] - .04,
                            quantile_of(one, .975) - truths[a] + .04});
        }
      }
    }
  return judged;
}

std::vector<BesideNeusight> judge_neusight(const std::string& folder, const PublicSets& sets,
                                           double noise) {
  std::map<std::string, double> theirs;  // accelerator/program, in percent
  std::vector<SetRow> rows = read_neusight(folder);
  for (const SetRow& row : rows)
    if (row.other_forecast > 0)
      theirs[row.item.accelerator + row.program] =
          100 * std::abs(row.other_forecast / std::exp(row.log_seconds) - 1);
  const auto programs = programs_of(rows);
  const MachineFactors factors = with_items(fit_factors(sets.without("neusight")).unseen,
                                            items_of(programs), AcceleratorTable::shipped());
  std::vector<BesideNeusight> judged;
  for (const ProgramRow& program : programs)
    for (std::size_t home = 0; home < program.items.size(); ++home)
      for (std::size_t to = 0; to < program.items.size(); ++to) {
        const auto other = theirs.find(program.items[to].accelerator + program.program);
        if (to == home || other == theirs.end()) continue;
        for (const ProgramRow& probe : programs) {
          const auto at = [&](std::size_t place) {
            return std::size_t(std::ranges::find(probe.items, program.items[place]) -
                               probe.items.begin());
          };
          const std::size_t there = at(to), here = at(home);
          if (probe.task != program.task || probe.program == program.program ||
              there == probe.items.size() || here == probe.items.size())
            continue;
          Gaussian known = program_on(factors, program.items);
          condition(known, home, program.log_seconds[home], kLapNoise);
          condition(known, to,
                    program.log_seconds[home] + probe.log_seconds[there] - probe.log_seconds[here],
                    noise);
          judged.push_back({judged_normal(program.task, known.mean[to],
                                          std::sqrt(known.cov(to, to) + kLapNoise * kLapNoise),
                                          program.log_seconds[to]),
                            other->second});
          break;
        }
      }
  return judged;
}

}  // namespace lapcast::shortlist
