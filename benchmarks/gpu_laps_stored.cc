// Measures forecasts of runs on a GPU against what was real: the folder with runs.jsonl is an
// argument. Logs are cut where the stopping rule would have ended a probe, probes are compared with
// runs to the end, and a sweep is ranked after the real runs of its candidates. Without the
// folder's data it ends with exit code 3. The last line is the count of goals met; ./bench gpu-laps
// adds those of an imitated device.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "forecast/drained_queue.h"
#include "forecast/lap_profiler.h"
#include "forecast/lap_series.h"
#include "forecast/stopping_rule.h"
#include "found_data.h"
#include "history/compile_starts.h"
#include "history/moments.h"
#include "history/track_record.h"
#include "run/compile_caches.h"
#include "run/run_json.h"
#include "run/settings.h"
#include "stats/summary.h"

namespace {

using namespace lapcast;

constexpr double kLeastSeconds = 5;  // of laps of a log that is cut

/// Holds a probe that was followed by a run to the end without lapcast, in seconds.
struct Probed {
  const char* id;
  const char* what;
  double real;
  std::int64_t steps = 0;  // that the command said; 0 = the program tells its plan
};
constexpr Probed kProbed[] = {{"a2b75d3030e0", "resnet 128 bf16", 22.33},
                              {"e6617f2661fb", "the same, workers joined", 75.8},
                              {"61377f5deaee", "small_steps", 54.62, 30'000},
                              {"5658379537c9", "gpt_compile", 27.30},
                              {"1668fbbab001", "lightning", 38.88},
                              {"34f6a5eeffc8", "hf", 54.92},
                              {"692380a42e7c", "timm", 36.07},
                              {"206a92ab1a82", "jax", 13.11},
                              {"87d485c7f545", "mnist-cnn", 16.31}};
constexpr const char* kSweep = "219b1087bdc4";
constexpr const char* kCompiled = "5658379537c9";  // its inductor's cache was cold, then warm

/// Counts goals, and prints each with its figure.
class Goals {
 public:
  void add(const std::string& what, double figure, const char* unit, double most) {
    const bool is_met = figure <= most;
    fmt::print("{}: {:.3g} {} (goal: at most {:g}){}\n", what, figure, unit, most,
               is_met ? "" : ", missed");
    met_ += is_met;
    ++all_;
  }
  void print() const { fmt::print("gpu-laps-stored: {} of {} goals met\n", met_, all_); }

 private:
  int met_ = 0;
  int all_ = 0;
};

std::vector<Run> runs_in(const std::string& folder) {
  std::vector<Run> runs;
  std::ifstream file(folder + "/runs.jsonl");
  for (std::string line; std::getline(file, line);)
    if (auto run = run_from_json_line(line)) runs.push_back(*std::move(run));
  return runs;
}

/// Returns the run that compiled as it is recorded today: the older hook reported its plan at the
/// end of the first lap, which the lap then began with, and did not look at caches.
Run as_recorded_today(Run run) {
  std::string& log = run.lap_logs.front();
  const std::string plan = " plan steps=300 from=argparse.max_iters\n";
  for (std::size_t at = log.find(plan); at != log.npos; at = log.find(plan)) {
    const std::size_t line = log.rfind('\n', at) + 1;
    log.erase(line, at + plan.size() - line);
  }
  log.insert(log.find('\n', log.find(" hello ")) + 1, "0" + plan);
  run.lap_logs.push_back("lapcast-laps 1\n0 hello clock=0 pid=1 host=vm\n" +
                         compile_cache_line({"inductor", 0, 1}));
  return run;
}

/// Holds where the rule ends a probe of a log, or the whole log where it does not.
struct Cut {
  double seconds = 0;
  double error = 0;  // of the mean lap against that of the whole log
  bool holds = true;
};

Cut cut_of(const LapLog& log) {
  const auto mean_from_second = [](std::span<const double> costs) {
    return mean(costs.subspan(1));
  };
  const std::vector<double> costs = lap_costs(log, PausedTime(log));
  const double real = mean_from_second(costs);
  Cut cut;
  StoppingRuleJudge judge({});
  for (std::size_t laps = 1; laps <= costs.size(); ++laps) {
    cut.seconds += costs[laps - 1];
    const Verdict& verdict = judge.judge(std::span(log.laps).first(laps));
    if (!verdict.enough) continue;
    cut.error = std::abs(verdict.steady_lap.count() / real - 1);
    cut.holds = std::abs(verdict.steady_lap.count() - real) <=
                verdict.half_width * verdict.steady_lap.count();
    return cut;
  }
  return cut;
}

void judge_cuts(const std::vector<Run>& runs, Goals& goals) {
  std::vector<double> seconds, errors;
  double missed = 0;
  for (const Run& run : runs) {
    const auto logged = laps_of(run);
    if (std::ranges::all_of(logged->laps, &Lap::finished)) continue;
    const LapLog log = with_drained_queue(*logged).value_or(*logged);
    const std::vector<double> costs = lap_costs(log, PausedTime(log));
    const bool is_whole = std::holds_alternative<outcome::Ended>(run.outcome) || run.pauses.empty();
    if (!is_whole || mean(costs) * static_cast<double>(costs.size()) < kLeastSeconds) continue;
    const Cut cut = cut_of(log);
    fmt::print("  {}  {:6.1f} s  {:5.1f} %{}\n", run.context.id, cut.seconds, 100 * cut.error,
               cut.holds ? "" : "  outside");
    seconds.push_back(cut.seconds);
    errors.push_back(100 * cut.error);
    missed += !cut.holds;
  }
  fmt::print("{} logs with {} s of laps or more\n", seconds.size(), kLeastSeconds);
  goals.add("laps until enough, median", median(seconds), "s", 8);
  goals.add("error of the mean lap, median", median(errors), "%", 1.7);
  goals.add("error of the mean lap, largest", std::ranges::max(errors), "%", 8);
  goals.add("intervals that do not hold", missed, "logs", 2);
}

/// Collects how forecasts compare with real times.
struct Compared {
  std::vector<double> errors, half_widths;
  double outside = 0;
  void add(const std::string& what, const Result<Forecast>& made, double real) {
    if (!made) {
      fmt::print("  {:26} no forecast: {}\n", what, made.error().text);
      ++outside;
      return;
    }
    const Interval<Seconds>& total = made->total;
    errors.push_back(100 * std::abs(total.mid.count() / real - 1));
    half_widths.push_back(50 * ((total.high - total.low) / total.mid));
    const bool is_inside = total.contains(Seconds{real});
    outside += !is_inside;
    fmt::print("  {:26} {:6.1f} s ({:.1f}-{:.1f})  real {:6.1f} s  {:5.1f} %{}\n", what,
               total.mid.count(), total.low.count(), total.high.count(), real, errors.back(),
               is_inside ? "" : "  outside");
  }
};

/// Forecasts the probes outside of the sweep.
void judge_probes(const std::vector<Run>& runs, Compared& all) {
  for (const Run& run : runs)
    for (const Probed& probed : kProbed) {
      if (run.context.id != probed.id) continue;
      Run planned = run.context.id == kCompiled ? as_recorded_today(run) : run;
      planned.context.plan.steps = probed.steps;
      all.add(probed.what, with_compiled_code(assess(planned), planned, {}).forecast, probed.real);
    }
}

/// Holds how long the candidates of the sweep took, by their settings.
struct RealTimes {
  std::map<std::string, double> whole, without_start;
};

/// Ranks the sweep as after `verify`, which the real runs of its candidates teach.
void judge_ranking(const std::vector<Run>& probes, const std::vector<Run>& full,
                   const RealTimes& real, Goals& goals) {
  std::vector<Run> both = probes;
  both.insert(both.end(), full.begin(), full.end());
  const Moments moments(both, "", {}, Conditions::as_measured);
  const TrackRecord finished(full);
  Compared ranked;
  std::vector<double> without_start;  // errors in %
  std::map<double, std::string> by_forecast, by_time;
  for (const Run& probe : probes) {
    const std::string name = settings_text(probe.context);
    if (!real.whole.contains(name)) continue;
    const auto made =
        with_track_record(moments.corrected(assess(probe), probe), probe, 0, finished).forecast;
    ranked.add(name + ", verified", made, real.whole.at(name));
    by_time[real.whole.at(name)] = name;
    if (!made) continue;
    by_forecast[made->total.mid.count()] = name;
    const Seconds rest = made->total.mid - part_of(*made, PartKind::init).time.mid;
    without_start.push_back(100 * std::abs(rest.count() / real.without_start.at(name) - 1));
  }
  if (by_forecast.empty()) return;
  goals.add("ranked after real runs: largest error", std::ranges::max(ranked.errors), "%", 7);
  goals.add("ranked after real runs: largest error without the start",
            std::ranges::max(without_start), "%", 3);
  fmt::print("picked {}, best {}\n", by_forecast.begin()->second, by_time.begin()->second);
  goals.add("ranked after real runs: another pick than the best",
            by_forecast.begin()->second != by_time.begin()->second, "", 0);
}

void judge_forecasts(const std::vector<Run>& runs, Goals& goals) {
  std::vector<Run> probes, full;
  RealTimes real;
  for (const Run& run : runs) {
    if (run.context.sweep != kSweep) continue;
    (run.context.kind == RunKind::probe ? probes : full).push_back(run);
    const auto profile = profile_of(run);
    if (run.context.kind == RunKind::probe || !profile) continue;
    const std::string name = settings_text(run.context);
    real.whole[name] = run.wall().count();
    real.without_start[name] = (run.wall() - profile->init).count();
  }
  Compared all;
  judge_probes(runs, all);
  const Moments moments(probes, "", {}, Conditions::as_measured);
  for (const Run& probe : probes)
    if (const std::string name = settings_text(probe.context); real.whole.contains(name))
      all.add(name, moments.corrected(assess(probe), probe).forecast, real.whole[name]);
  goals.add("forecasts outside", all.outside, "of 15", 1);
  goals.add("error of forecasts, median", median(all.errors), "%", 6);
  goals.add("half-width of forecasts, median", median(all.half_widths), "%", 20);
  judge_ranking(probes, full, real, goals);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const std::vector<Run> runs = runs_in(folder);
  if (runs.empty()) no_data_in(folder, "runs.jsonl with runs as `lapcast export` writes them");
  Goals goals;
  judge_cuts(runs, goals);
  judge_forecasts(runs, goals);
  goals.print();
}
