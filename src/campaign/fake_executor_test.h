#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "campaign/executor.h"
#include "lap/lap_log_writer.h"
#include "machine/description.h"
#include "probe/orders.h"
#include "run/race_outcomes.h"

namespace lapcast {

/// Starts no process. Its probes report laps of a constant length in a time of its own, and end one
/// by one, the oldest first, or as `ended` says. A probe of a race is suspended after each round
/// until an order comes. A watched run tells of itself once before it ends.
class FakeExecutor : public Executor {
 public:
  static constexpr std::int64_t kLaps = 30;  // of a probe that is not cut short
  static constexpr std::int64_t kLapsThatAreEnough = 10;

  Ticket start(const ProbeRequest& request) override {
    started.push_back(request.context.machine_type.name);
    requests.push_back(request);
    probes_.push_back({.ticket = next_, .request = request, .round = request.round});
    const auto running = std::count_if(probes_.begin(), probes_.end(),
                                       [](const Probe& probe) { return !probe.is_suspended; });
    most_at_once = std::max(most_at_once, static_cast<std::size_t>(running));
    return next_++;
  }

  std::vector<Event> wait(std::chrono::milliseconds) override {
    const auto next = std::find_if(probes_.begin(), probes_.end(),
                                   [](const Probe& probe) { return !probe.is_suspended; });
    if (next == probes_.end()) return {};
    if (ended) {
      lapcast::Run run = ended(next->request.context, requests.size());
      run.context = next->request.context;
      if (stopped) run.outcome = outcome::Interrupted{};
      const Ticket ticket = next->ticket;
      probes_.erase(next);
      return {{ticket, run}};
    }
    if (!std::exchange(next->has_told, true)) {
      std::vector<Event> news{{next->ticket, ProbeProgress{.laps = 3, .state = "lap 3"}}};
      if (fetched > 0) news.push_back({next->ticket, message::Fetched{fetched}});
      if (next->request.watch)
        news.push_back({next->ticket, RunSoFar{run_of(*next, outcome::NotEnded{"it goes on"})}});
      return news;
    }
    const std::string& type = next->request.context.machine_type.name;
    const auto planned = outcomes.find(type);
    if (planned != outcomes.end() && !has_laps(planned->second)) next->end = planned->second;
    const bool is_any_suspended = std::any_of(
        probes_.begin(), probes_.end(), [](const Probe& probe) { return probe.is_suspended; });
    if (is_any_suspended && need_whole_gpu.contains(type)) next->end = out_of_gpu_memory();
    if (stopped) next->end = outcome::Interrupted{};
    const std::int64_t before = next->laps;
    if (!next->end) next->laps = next->round ? std::min(laps_of(*next->round), kLaps) : kLaps;
    now_s_ += lap_s(next->request) * static_cast<double>(next->laps - before);
    const Ticket ticket = next->ticket;
    if (next->laps < kLaps && !next->end) {
      next->is_suspended = true;
      const lapcast::Run so_far = run_of(*next, end_of_round());
      std::rotate(next, next + 1, probes_.end());
      return {{ticket, ProbeProgress{.elapsed = so_far.wall(), .state = "suspended"}},
              {ticket, RunSoFar{so_far}}};
    }
    const Outcome outcome = next->end.value_or(
        planned == outcomes.end() ? Outcome(outcome::Enough{}) : planned->second);
    const lapcast::Run run = run_of(*next, outcome);
    probes_.erase(next);
    if (on_end) on_end();
    return {{ticket, run}};
  }

  void order(Ticket ticket, const std::string& line) override {
    const auto probe = std::find_if(probes_.begin(), probes_.end(),
                                    [&](const Probe& one) { return one.ticket == ticket; });
    if (probe == probes_.end()) return;
    const Order order = parse_order(line);
    if (const auto* round = std::get_if<Round>(&order)) probe->round = *round;
    if (const auto* end = std::get_if<order::End>(&order)) probe->end = end->why;
    if (std::holds_alternative<order::Stop>(order)) probe->end = outcome::Interrupted{};
    probe->is_suspended = false;
  }

  void stop_all() override { stopped = true; }

  static Outcome out_of_gpu_memory() {
    return outcome::Crashed{1, 0, outcome::OutOfMemory{"CUDA out of memory", "", 0}};
  }

  /// Returns the time of day of the fake: it advances by the laps that were run.
  std::string now() const {
    const auto seconds = static_cast<int>(now_s_);
    return fmt::format("2026-11-20T{:02}:{:02}:{:02}Z", 12 + seconds / 3600, seconds / 60 % 60,
                       seconds % 60);
  }

  std::vector<std::string> started;  // machine types
  std::vector<ProbeRequest> requests;
  std::map<std::string, Outcome> outcomes;          // by machine type; Enough{""} otherwise
  std::map<std::string, double> laps_s;             // by machine type; 0.1 otherwise
  std::function<double(const RunContext&)> lap_of;  // seconds; instead of laps_s
  std::optional<std::int64_t> gpu_busy;             // percent; none = there is no GPU
  std::optional<std::int64_t> gpu_exclusive;        // 1: it takes one process at a time
  std::set<std::string> need_whole_gpu;  // machine types without GPU memory beside a suspended one
  std::size_t most_at_once = 0;          // that were not suspended
  std::int64_t fetched = 0;              // bytes that each probe tells of once; 0 = none
  MachineDescription machine = {};       // that machines give of themselves, if it has threads
  bool stopped = false;
  std::function<void()> on_end;
  /// Returns the result of the next probe that ends, by its context and the number of probes that
  /// were started; its context is filled in afterwards. Without it the maps above say the result.
  std::function<lapcast::Run(const RunContext&, std::size_t)> ended;

 private:
  struct Probe {
    Ticket ticket = 0;
    ProbeRequest request;
    std::optional<Round> round;
    bool has_told = false;
    bool is_suspended = false;
    std::int64_t laps = 0;
    std::optional<Outcome> end = {};  // as ordered
  };

  static std::int64_t laps_of(const Round& round) {
    return round.until_enough ? kLapsThatAreEnough : round.laps > 0 ? round.laps : kLaps;
  }

  double lap_s(const ProbeRequest& request) const {
    if (lap_of) return lap_of(request.context);
    const auto known = laps_s.find(request.context.machine_type.name);
    return known == laps_s.end() ? 0.1 : known->second;
  }

  lapcast::Run run_of(const Probe& probe, Outcome outcome) const {
    constexpr MonotonicNs kStart = 100'000'000'000;
    lapcast::Run run;
    run.context = probe.request.context;
    if (machine.threads > 0) run.context.machine = machine;
    run.outcome = std::move(outcome);
    run.started_ns = kStart;
    const auto lap_ns = static_cast<MonotonicNs>(lap_s(probe.request) * 1e9);
    run.ended_ns = kStart + (probe.laps + 1) * lap_ns;
    std::string log = lap_log_opening({kStart, 1000, 7, 0, 1, "a", "test"});
    for (std::int64_t lap = 1; lap <= probe.laps; ++lap)
      log += std::to_string(lap * lap_ns) + " i 8\n";
    run.lap_logs = {log};
    if (gpu_busy) run.lap_logs.push_back(gpu_log(kStart, probe.laps, lap_ns));
    return run;
  }

  /// Returns the log of a sampler that looked at a GPU of the program at the end of each lap.
  std::string gpu_log(MonotonicNs start, std::int64_t laps, MonotonicNs lap_ns) const {
    std::string log = lap_log_opening({start, 1000, 8, 0, 1, "a", "lapcast-load/1"});
    for (std::int64_t lap = 1; lap <= laps; ++lap)
      log += gpu_line({.at_ns = lap * lap_ns,
                       .busy_percent = gpu_busy,
                       .program = 1,
                       .exclusive = gpu_exclusive});
    return log;
  }

  std::vector<Probe> probes_;  // the next one first
  double now_s_ = 0;
  Ticket next_ = 1;
};

/// Returns a run of `laps` laps of `samples` samples and `lap_s` seconds each, with this outcome.
/// The laps of its second half take `later` times as long.
inline Run run_of_laps(int laps, double lap_s, Outcome outcome, const std::string& samples = "8",
                       double later = 1) {
  Run run;
  run.outcome = std::move(outcome);
  run.started_ns = 100'000'000'000;
  std::string log = lap_log_opening({run.started_ns, 1000, 7, 0, 1, "a", "test"});
  double seconds = 0;
  for (int lap = 0; lap < laps; ++lap) {
    seconds += 2 * lap < laps ? lap_s : later * lap_s;
    log += std::to_string(std::llround(seconds * 1e9)) + " i " + samples + "\n";
  }
  run.ended_ns = run.started_ns + std::llround(seconds * 1e9);
  run.lap_logs = {log};
  return run;
}

}  // namespace lapcast
