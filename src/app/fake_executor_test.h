#pragma once

#include <cmath>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "fleet/executor.h"
#include "lap/lap_log_writer.h"

namespace lapcast {

/// For tests: ends each run at once, in the order of the starts, on a clock of its own.
class FakeExecutor : public Executor {
 public:
  static constexpr std::int64_t kSecond = 1'000'000'000;

  Ticket start(const ProbeRequest& request) override {
    requests.push_back(request);
    waiting_.push_back({next_, request.context});
    return next_++;
  }
  std::vector<Event> wait(std::chrono::milliseconds) override {
    if (waiting_.empty()) return {};
    const auto [ticket, context] = waiting_.front();
    waiting_.pop_front();
    Run run = ended ? ended(context, requests.size()) : Run{};
    run.context = context;
    if (stopped) run.outcome = outcome::Interrupted{};
    return {{ticket, run}};
  }
  void order(Ticket, const std::string&) override {}
  void stop_all() override { stopped = true; }

  std::vector<ProbeRequest> requests;
  /// Returns what the run number so and so (from 1) comes to; its context is filled in afterwards.
  std::function<Run(const RunContext&, std::size_t)> ended;
  bool stopped = false;

 private:
  std::deque<std::pair<Ticket, RunContext>> waiting_;
  Ticket next_ = 1;
};

/// Returns a run of `laps` laps of `samples` samples and `lap_s` seconds each, with this outcome.
/// The laps of its second half take `later` times as long.
inline Run run_of_laps(int laps, double lap_s, Outcome outcome, const std::string& samples = "8",
                       double later = 1) {
  Run run;
  run.outcome = std::move(outcome);
  run.started_ns = 100 * FakeExecutor::kSecond;
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
