#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "campaign/race_campaign.h"
#include "campaign/rounds_campaign.h"
#include "forecast/stopping_rule.h"
#include "lap/lap_log_writer.h"
#include "posix/folder_test.h"
#include "probe/orders.h"
#include "rank/ranking_fixture_test.h"
#include "run/race_outcomes.h"
#include "stats/series_test.h"

// These tests run planted programs in whole campaigns, once in a race and once in a plain sweep.

namespace lapcast {
namespace {

/// Describes a program on one machine type: the same laps in the race and in the sweep.
struct PlantedProgram {
  double init_s = 0;
  std::vector<double> laps_s;
  std::int64_t bytes = 0;  // of memory, of the 1000 of the machine
};

/// Runs planted programs as the supervisor does, in a time of their own: their rounds, the stopping
/// rule and the budget end them.
class PlantedExecutor : public Executor {
 public:
  explicit PlantedExecutor(const std::map<std::string, PlantedProgram>& programs)
      : programs_(programs) {}

  Ticket start(const ProbeRequest& request) override {
    const PlantedProgram& program = programs_.at(request.context.machine_type.name);
    probes_.push_back({.ticket = next_, .request = request, .program = &program});
    probes_.back().round = request.round;
    probes_.back().rule = StoppingRuleJudge(StoppingRule{request.limits.precision});
    return next_++;
  }

  std::vector<Event> wait(std::chrono::milliseconds) override {
    const auto probe = std::ranges::find(probes_, false, &Probe::is_suspended);
    if (probe == probes_.end()) return {};
    while (!probe->end && !probe->is_suspended) go_on(*probe);
    const Ticket ticket = probe->ticket;
    if (!probe->end) {
      const lapcast::Run so_far = run_of(*probe, end_of_round());
      std::rotate(probe, probe + 1, probes_.end());
      return {{ticket, RunSoFar{so_far}}};
    }
    const lapcast::Run run = run_of(*probe, *probe->end);
    probes_.erase(probe);
    return {{ticket, run}};
  }

  void order(Ticket ticket, const std::string& line) override {
    Probe& probe = *std::ranges::find(probes_, ticket, &Probe::ticket);
    const Order order = parse_order(line);
    if (const auto* end = std::get_if<order::End>(&order)) probe.end = end->why;
    if (const auto* round = std::get_if<Round>(&order)) probe.round = *round;
    if (!std::exchange(probe.is_suspended, false)) return;
    const MonotonicNs begin = kStart + to_ns(Seconds{probe.ran_s}) + probe.paused_ns();
    probe.pauses.push_back({begin, begin + kPause});
  }

  void stop_all() override {}

 private:
  static constexpr MonotonicNs kStart = 100'000'000'000;
  static constexpr MonotonicNs kPause = 1'000'000'000;

  struct Probe {
    Ticket ticket = 0;
    ProbeRequest request;
    const PlantedProgram* program = nullptr;
    std::optional<Round> round = {};
    std::optional<Outcome> end = {};
    bool is_suspended = false;
    double ran_s = 0;
    double next_s = 0;  // when its next lap ends
    std::vector<Lap> laps = {};
    std::string log = lap_log_opening({kStart, 1000, 7, 0, 1, "a", "test"});
    std::vector<Pause> pauses = {};
    StoppingRuleJudge rule{StoppingRule{}};

    MonotonicNs paused_ns() const { return kPause * std::ssize(pauses); }
  };

  /// Goes on until the next lap, or the limit that comes before it.
  static void go_on(Probe& probe) {
    if (probe.laps.empty()) probe.next_s = probe.program->init_s + probe.program->laps_s.front();
    const double round_s = probe.round ? probe.round->ran.count() : 0;
    const double budget_s = probe.request.limits.budget.count();
    const double until_s = std::min(probe.next_s, budget_s);
    if (round_s > 0 && round_s < until_s) {
      probe.ran_s = std::max(probe.ran_s, round_s);
      probe.is_suspended = true;
      return;
    }
    probe.ran_s = until_s;
    if (until_s < probe.next_s) {
      probe.end = outcome::BudgetSpent{"time"};
      return;
    }
    take_lap(probe);
    const bool is_enough = probe.rule.judge(probe.laps).enough;
    const bool never_ends = probe.request.round && probe.request.round->until_enough;
    if (is_enough && !never_ends)
      probe.end = outcome::Enough{probe.rule.judge(probe.laps).text};
    else if (probe.round)
      probe.is_suspended = (is_enough && probe.round->until_enough) ||
                           (probe.round->laps > 0 && std::ssize(probe.laps) >= probe.round->laps);
  }

  static void take_lap(Probe& probe) {
    const std::vector<double>& laps_s = probe.program->laps_s;
    const MonotonicNs end = to_ns(Seconds{probe.next_s});
    const MonotonicNs begin = end - to_ns(Seconds{laps_s[probe.laps.size() % laps_s.size()]});
    probe.laps.push_back(
        {.begin_ns = begin, .end_ns = end, .index = static_cast<std::int32_t>(probe.laps.size())});
    probe.log += std::to_string(end + probe.paused_ns()) + " i 8\n";
    probe.next_s += laps_s[probe.laps.size() % laps_s.size()];
  }

  static lapcast::Run run_of(const Probe& probe, Outcome outcome) {
    lapcast::Run run;
    run.context = probe.request.context;
    run.context.machine.memory_bytes = 1000;
    run.usage.peak_rss_bytes = probe.program->bytes;
    run.outcome = std::move(outcome);
    run.started_ns = kStart;
    run.ended_ns = kStart + to_ns(Seconds{probe.ran_s}) + probe.paused_ns();
    run.pauses = probe.pauses;
    run.lap_logs = {probe.log};
    return run;
  }

  const std::map<std::string, PlantedProgram>& programs_;
  std::vector<Probe> probes_;  // the next one first
  Ticket next_ = 1;
};

struct PlantedSweep {
  std::vector<ProbeRequest> requests;
  std::map<std::string, PlantedProgram> programs;
  RaceRequest order;
  int rounds = 3;
};

/// Returns 1 to 9 candidates on one or two hosts, or in a queue: starts of 0 to 20 s, laps of 1 ms
/// to 8 s, noise of 0.2 to 20 %, prices up to 4 times apart, programs that fill the memory or not.
PlantedSweep planted_sweep(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform;
  const auto one_of = [&](auto... values) {
    const std::common_type_t<decltype(values)...> all[] = {values...};
    return all[random() % sizeof...(values)];
  };
  PlantedSweep sweep;
  sweep.order.goal = one_of(RaceGoal::front, RaceGoal::cost, RaceGoal::time);
  sweep.rounds = one_of(1, 2, 3, 3);
  const bool is_queued = random() % 5 == 0;
  const bool has_two_hosts = random() % 3 == 0;
  const double lap = one_of(0.001, 0.05, 0.3, 2.0);
  const double init = one_of(0.0, 0.5, 20.0);
  const auto count = 1 + static_cast<int>(random() % 9);
  for (int i = 0; i < count; ++i) {
    const std::string name = "type " + std::to_string(i);
    ProbeRequest request;
    request.context.id = new_id();
    request.context.plan.steps = 100000;
    request.context.machine_type.name = name;
    request.context.machine_type.cpus = {0};
    request.context.machine.hypervisor = one_of("", "KVM");
    request.context.price =
        test::offer(name, name, std::to_string(0.1 * (1 + 3 * uniform(random))));
    if (is_queued) request.place_setup.place = SlurmPlace{.partition = "cpu"};
    if (!is_queued && has_two_hosts && i % 2 == 1) request.place_setup.place = SshPlace{"other"};
    request.context.place = describe(request.place_setup.place);
    sweep.requests.push_back(request);
    PlantedProgram program{init * uniform(random), {}, one_of(1, 400)};
    program.laps_s = noisy_laps(random, 1000, one_of(0.002, 0.02, 0.2), one_of(0.0, 0.5));
    const double own = lap * std::pow(4, uniform(random));
    for (double& each : program.laps_s) each = own * std::max(0.1, each);
    for (std::size_t warm = 0; warm < random() % 30; ++warm) program.laps_s[warm] *= 2;
    sweep.programs[name] = std::move(program);
  }
  return sweep;
}

using RaceCost = FolderTest;

/// Returns how long the stored runs of each machine type ran.
std::map<std::string, double> time_by_type(const Store& store) {
  std::map<std::string, double> times;
  for (const Run& run : store.runs()) times[run.context.machine_type.name] += run.wall().count();
  return times;
}

TEST_F(RaceCost, NoCandidateTakesMoreOfARaceThanOfAPlainSweep) {
  double raced_s = 0, swept_s = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const PlantedSweep sweep = planted_sweep(random);
    Interrupt interrupt;
    Store race = Store::open(folder_ / (std::to_string(seed) + "-race.db"));
    PlantedExecutor racing(sweep.programs);
    const RaceResult result =
        run_race(sweep.requests, sweep.order, {},
                 [](const lapcast::Run& run) { return assess(run); }, {racing, race, interrupt});
    Store plain = Store::open(folder_ / (std::to_string(seed) + "-plain.db"));
    PlantedExecutor sweeping(sweep.programs);
    run_in_rounds(sweep.requests, sweep.rounds, {sweeping, plain, interrupt});
    const auto swept = time_by_type(plain);
    const auto raced = time_by_type(race);
    ASSERT_EQ(raced.size(), swept.size());
    for (const auto& [type, time] : raced) {
      EXPECT_LE(time, swept.at(type) + 1e-6) << type;
      raced_s += time;
      swept_s += swept.at(type);
    }
    EXPECT_LE(cost_of_runs(race.runs()).cost, cost_of_runs(plain.runs()).cost);
    for (const RaceRow& row : result.rows) EXPECT_NE(row.standing.state, RaceState::open);
  }
  RecordProperty("share", std::to_string(raced_s / swept_s));
  EXPECT_LT(raced_s, 0.8 * swept_s);
}

}  // namespace
}  // namespace lapcast
