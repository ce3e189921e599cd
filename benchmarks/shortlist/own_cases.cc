#include "shortlist/own_cases.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "core/hash.h"
#include "extrapolate/own_programs.h"
#include "stats/distributions.h"

namespace lapcast::shortlist {
namespace {

constexpr std::size_t kOwnTurns = 3;  // draws of own programs from each home

std::size_t any_below(std::size_t count, SeededNumbers& random) {
  return std::min(static_cast<std::size_t>(random.uniform() * double(count)), count - 1);
}

/// Returns what another program took on the items of a program: on all that both have, or on the
/// home and random ones of them.
OwnTimes times_of(const ProgramRow& other, const ProgramRow& program, std::size_t home,
                  std::size_t machines, SeededNumbers& random) {
  std::vector<std::size_t> common;
  for (std::size_t i = 0; i < program.items.size(); ++i)
    if (i != home && std::ranges::find(other.items, program.items[i]) != other.items.end())
      common.push_back(i);
  for (std::size_t i = 0; machines > 0 && i + 1 < common.size(); ++i)
    std::swap(common[i], common[i + any_below(common.size() - i, random)]);
  if (machines > 0) common.resize(std::min(common.size(), machines - 1));
  common.push_back(home);
  OwnTimes times;
  for (const std::size_t place : common) {
    const auto found = std::ranges::find(other.items, program.items[place]);
    if (found == other.items.end()) continue;
    times.places.push_back(place);
    times.log_seconds.push_back(other.log_seconds[std::size_t(found - other.items.begin())]);
    times.noise.push_back(kLapNoise);
  }
  return times;
}

/// Returns random own programs, each of another task than the program and the others.
std::vector<OwnTimes> own_of(const std::vector<ProgramRow>& programs, const ProgramRow& program,
                             std::size_t home, const OwnWay& way, SeededNumbers& random) {
  std::map<std::string, std::vector<const ProgramRow*>> tasks;
  for (const ProgramRow& other : programs) {
    const bool is_alike = std::ranges::any_of(other.items, [&](const MachineItem& item) {
      return std::ranges::find(program.items, item) != program.items.end();
    });
    if (other.task != program.task && is_alike) tasks[other.task].push_back(&other);
  }
  std::vector<OwnTimes> own;
  while (own.size() < way.programs && !tasks.empty()) {
    const auto task = std::next(tasks.begin(), long(any_below(tasks.size(), random)));
    const ProgramRow& other = *task->second[any_below(task->second.size(), random)];
    tasks.erase(task);
    OwnTimes times = times_of(other, program, home, way.machines, random);
    if (times.places.size() > 1) own.push_back(std::move(times));
  }
  return own;
}

}  // namespace

std::vector<Judged> judge_with_own(const MachineFactors& factors,
                                   const std::vector<ProgramRow>& programs, const OwnWay& way) {
  std::vector<Judged> judged;
  for (const ProgramRow& program : programs) {
    const Gaussian before = program_on(factors, program.items);
    Fnv1a seed;
    seed.add(program.program);
    SeededNumbers random(seed.value());
    const std::size_t n = program.items.size();
    for (std::size_t turn = 0; turn < kOwnTurns * n; ++turn) {
      const std::size_t home = turn % n;
      Gaussian known =
          given_own_programs(before, own_of(programs, program, home, way, random), way.share);
      condition(known, home, program.log_seconds[home], kLapNoise);
      for (std::size_t i = 0; i < n; ++i) {
        if (i == home) continue;
        const double half =
            kZ95 * std::sqrt(std::max(0.0, known.cov(i, i)) + kLapNoise * kLapNoise);
        const double error = known.mean[i] - program.log_seconds[i];
        judged.push_back({program.task, error, error - half, error + half});
      }
    }
  }
  return judged;
}

}  // namespace lapcast::shortlist
