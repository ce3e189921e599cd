#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "formats/imported.h"

namespace lapcast {
namespace {

using nlohmann::json;

constexpr double kMostTrainerSeconds = 1e8;
constexpr std::int64_t kMostTrainerSteps = 1'000'000'000;
constexpr std::int64_t kMostTrainerLaps = 200'000;
constexpr std::size_t kMostTrainerEntries = 1'000'000;

double trainer_number(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::int64_t trainer_count(const json& object, const char* key) {
  return std::llround(
      std::clamp(trainer_number(object, key), 0.0, static_cast<double>(kMostTrainerSteps)));
}

bool is_trainer_time(double seconds) {
  return seconds > 0 && seconds < kMostTrainerSeconds;
}

/// Holds an entry of the log: what was known after a step.
struct TrainerEntry {
  std::int64_t step = 0;
  double evaluation_s = 0;  // that it took; 0 = it is not of an evaluation
  const json* values = nullptr;
};

class TrainerStateReader {
 public:
  explicit TrainerStateReader(const json& state) : state_(state) {
    const auto log = state.find("log_history");
    if (log == state.end() || !log->is_array()) return;
    for (const json& entry : *log) {
      if (!entry.is_object() || entries_.size() >= kMostTrainerEntries) continue;
      if (is_trainer_time(trainer_number(entry, "train_runtime")))
        runtime_s_ = trainer_number(entry, "train_runtime");
      const double evaluation_s = trainer_number(entry, "eval_runtime");
      entries_.push_back(
          {trainer_count(entry, "step"), is_trainer_time(evaluation_s) ? evaluation_s : 0, &entry});
    }
    steps_ = trainer_count(state, "global_step");
    if (steps_ == 0 && !entries_.empty()) steps_ = entries_.back().step;
    each_ = std::max<std::int64_t>(1, (steps_ + kMostTrainerLaps - 1) / kMostTrainerLaps);
  }

  Run run(const std::string& source) const {
    Run run;
    ImportedRunId run_id("trainer-state");
    for (const TrainerEntry& entry : entries_) run_id.add(entry.values->dump());
    run.context = imported_context("trainer-state", source, source, "");
    run.context.id = run_id.id();
    if (const std::int64_t batch = trainer_count(state_, "train_batch_size"); batch > 0)
      run.context.settings["batch"] = fmt::format("{}", batch);
    run.lap_logs = {lap_log()};
    if (runtime_s_ == 0 || steps_ < each_) {
      run.outcome = outcome::NoLaps{
          "it has no train_runtime, which is written at the end of a training: only the metrics "
          "are "
          "known"};
      return run;
    }
    run.context.kind = RunKind::full;
    run.outcome = outcome::Ended{};
    run.ended_ns = std::llround(runtime_s_ * 1e9);
    run.warnings.push_back(fmt::format(
        "laps are {}, which share train_runtime without eval_runtime equally; the time before the "
        "training is not in it",
        each_ == 1 ? std::string("steps") : fmt::format("{} steps each", each_)));
    return run;
  }

 private:
  std::string lap_log() const {
    LapLogText log(0, "trainer-state");
    TrainingPlan plan;
    const std::int64_t laps = steps_ / each_;
    if (laps > 0 && runtime_s_ > 0) plan.steps = laps;
    log.plan(plan);
    double evaluations_s = 0;
    for (const TrainerEntry& entry : entries_) evaluations_s += entry.evaluation_s;
    const double lap_s =
        laps == 0 ? 0 : std::max(0.0, runtime_s_ - evaluations_s) / static_cast<double>(laps);
    double at_s = 0;
    std::int64_t done = 0;  // laps
    const auto laps_until = [&](std::int64_t step) {
      for (; runtime_s_ > 0 && lap_s > 0 && done < std::min(laps, step / each_); ++done) {
        at_s += lap_s;
        log.lap(std::llround(at_s * 1e9), 0);
      }
    };
    log.stage_begin(0, "train");
    for (const TrainerEntry& entry : entries_) {
      laps_until(entry.step);
      if (runtime_s_ > 0 && entry.evaluation_s > 0) {
        const double end_s = std::min(runtime_s_, at_s + entry.evaluation_s);
        log.validation(std::llround(at_s * 1e9), std::llround(end_s * 1e9), 1);
        at_s = end_s;
      }
      for (const auto& [name, value] : entry.values->items())
        if (value.is_number() && name != "step")
          log.metric(std::llround(at_s * 1e9), name, value.get<double>());
    }
    laps_until(steps_);
    const std::int64_t end_ns = std::llround(std::max(at_s, runtime_s_) * 1e9);
    log.stage_end(end_ns, "train");
    if (runtime_s_ > 0) log.bye(end_ns);
    return log.text();
  }

  const json& state_;
  std::vector<TrainerEntry> entries_;
  double runtime_s_ = 0;  // of the whole training; 0 = the log does not say it
  std::int64_t steps_ = 0;
  std::int64_t each_ = 1;  // steps of a lap
};

}  // namespace

ImportedLog import_trainer_state(std::string_view text, const std::string& source) {
  ImportedLog result;
  const json state = json::parse(text, nullptr, false);
  if (!state.is_object() || !state.contains("log_history")) {
    result.problems.emplace_back("not a trainer_state.json: no object with a log_history");
    return result;
  }
  result.runs.push_back(TrainerStateReader(state).run(source));
  return result;
}

}  // namespace lapcast
