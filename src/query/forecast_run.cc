#include "query/forecast_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/units.h"
#include "history/assessment.h"
#include "history/compile_starts.h"
#include "history/epochs_assessment.h"
#include "history/known_time.h"
#include "history/learned_epochs.h"
#include "lap/laps_kind.h"
#include "query/sweep_state.h"
#include "run/compile_caches.h"
#include "run/program_folder.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

/// Limits the runs of a program that are considered outside of sweeps.
constexpr std::size_t kMostOfProgram = 80;

/// Returns whether a run is an old log of another tool, with an unknown machine.
bool is_old_log(const Run& run) {
  return !run.context.imported_from.empty();
}

/// Returns what kind of thing the laps of a run are.
std::string kind_of(const Run& run) {
  return kind_of_laps(run.lap_logs);
}

/// Returns a text that is equal for runs of one program.
std::string text_of_program(const RunContext& context) {
  return folder_of_program(context).value_or("") + "\n" + shown_program(context);
}

/// Returns the filter of the runs with laps that have the program of a run.
RunFilter of_program(const RunContext& context) {
  return {
      .folder = folder_of_program(context), .command = shown_program(context), .with_laps = true};
}

/// Forecasts a training until the goal is reached, with as many epochs as that takes.
ForecastRow forecast_until(const Run& run, const ForecastRequest& request,
                           std::span<const Run> others, RunForecaster& forecaster) {
  const EpochsOptions wanted{*request.goal, request.plan.epochs, request.first_epochs};
  const EpochsAssessment epochs = assess_epochs(run, wanted, others);
  TrainingPlan plan = request.plan;
  plan.steps = 0;
  if (epochs.needed) plan.epochs = epochs_to_plan(*epochs.needed);
  ForecastRow row{&run, forecaster.forecast(run, plan, request.first_epochs), {}, {}};
  if (!epochs.needed) row.assessment.forecast = tl::unexpected(epochs.needed.error());
  if (!row.assessment.forecast) return row;
  const auto time = time_until(*epochs.needed, row.assessment);
  if (!time) {
    row.assessment.forecast = tl::unexpected(time.error());
    return row;
  }
  row.assessment.forecast->total = *time;
  row.until = *epochs.needed;
  if (epochs.real && std::holds_alternative<outcome::Ended>(run.outcome))
    row.real = real_time(run, std::llround(std::ceil(*epochs.real)));
  return row;
}

}  // namespace

RunForecaster::RunForecaster(const Store& store, std::set<std::string> left_out)
    : store_(&store), left_out_(std::move(left_out)), held_(store.held()) {}

Assessment RunForecaster::forecast(const Run& run, const TrainingPlan& plan,
                                   std::int64_t first_epochs) {
  if (wish_) return forecast_under(*wish_, run, plan, first_epochs);
  if (run.context.machine_type.exclusive) {
    Assessment undisturbed = forecast_under(Conditions::undisturbed, run, plan, first_epochs);
    if (undisturbed.profile) return undisturbed;
  }
  return forecast_under(Conditions::as_measured, run, plan, first_epochs);
}

Assessment RunForecaster::forecast_under(Conditions conditions, const Run& run,
                                         const TrainingPlan& plan, std::int64_t first_epochs) {
  Assessment corrected = corrected_by_others(conditions, run, plan, first_epochs);
  return first_epochs == 0 ? with_known_time(std::move(corrected), run) : corrected;
}

Assessment RunForecaster::corrected_by_others(Conditions conditions, const Run& run,
                                              const TrainingPlan& plan, std::int64_t first_epochs) {
  AssessmentRequest request{plan, first_epochs, {}, conditions, method_};
  Assessment own = assess(run, request);
  if (store_ == nullptr || !own.profile) return own;
  const auto& validation = own.profile->validation;
  if (!validation || validation->observed == 0) {
    request.sources = [&] {
      const std::lock_guard lock(mutex_);
      return sources_for(run);
    }();
    if (validation_source_for(run.context, request.sources) != nullptr) own = assess(run, request);
  }
  if (method_ != Method::lapcast) return own;
  const auto moments = [&]() -> const Moments& {
    const std::lock_guard lock(mutex_);
    return moments_of(run, conditions);
  };
  if (first_epochs == 0) own = with_compiled_code(std::move(own), run, same_start_as(run));
  if (first_epochs == 0) own = moments().corrected(std::move(own), run);
  // Real times include the load of others.
  if (conditions == Conditions::undisturbed) return own;
  const std::lock_guard lock(mutex_);
  // A run teaches nothing about itself; a very long one is left out before the record is made.
  constexpr std::size_t kManyLaps = 500'000;
  if (own.profile->laps.size() > kManyLaps) {
    const TrackRecord others = record_of(run, {run.context.id});
    return with_track_record(std::move(own), run, first_epochs, others);
  }
  return with_track_record(std::move(own), run, first_epochs, record_for(run));
}

const Moments& RunForecaster::moments_of(const Run& run, Conditions conditions) {
  static const Moments kNone;
  const std::string& id = run.context.id;
  if (is_old_log(run) || left_out_.contains(id) || !store_->has(id, held_)) return kNone;
  // Runs outside of sweeps are compared with those of the same program.
  const std::string& sweep = run.context.sweep;
  const std::string of =
      (sweep.empty() ? "\n" + text_of_program(run.context) : sweep) + "\n" + kind_of(run);
  const std::string machine = machine_of(run);
  const auto [entry, is_new] = moments_.try_emplace({conditions, of, machine});
  if (!is_new) return entry->second;
  RunsOfMachines& all = runs_of_machines(run, of);
  const auto known = all.machines.find(machine);
  if (known == all.machines.end()) return entry->second;
  const auto stream = static_cast<std::uint64_t>(std::distance(all.machines.begin(), known));
  // A day of laps is not copied; if there are many machines, each has only runs of a few seconds.
  const bool is_only_one = all.machines.size() == 1;
  RunsOfMachines::OfMachine own = is_only_one ? std::move(known->second) : known->second;
  if (is_only_one) newest_machines_.reset();
  return entry->second = Moments(std::move(own.runs), content_of(run), std::move(own.earlier),
                                 conditions, stream);
}

RunForecaster::RunsOfMachines& RunForecaster::runs_of_machines(const Run& run,
                                                               const std::string& of) {
  if (newest_machines_ && newest_machines_->of == of) return *newest_machines_;
  constexpr std::size_t kMostEarlier = 180;
  const std::string& sweep = run.context.sweep;
  RunFilter measured{.sweep = sweep, .with_laps = true};
  if (sweep.empty()) measured.command = shown_program(run.context);
  newest_machines_.reset();
  RunsOfMachines all{of, {}};
  const std::string kind = kind_of(run);
  for (Run& each :
       sweep.empty() ? take_runs_of(run.context) : newest_runs(measured, TrackRecord::kMostRuns))
    if (!is_old_log(each) && kind_of(each) == kind)
      all.machines[machine_of(each)].runs.push_back(std::move(each));
  measured.others = true;
  for (Run& each : newest_runs(measured, kMostEarlier))
    if (const auto known = all.machines.find(machine_of(each));
        known != all.machines.end() && !is_old_log(each))
      known->second.earlier[content_of(each)].push_back(std::move(each));
  return newest_machines_.emplace(std::move(all));
}

std::vector<Run> RunForecaster::take_runs_of(const RunContext& context) {
  auto [read, runs] = std::exchange(runs_of_program_, {});
  if (read == text_of_program(context)) return runs;
  return newest_runs(of_program(context), kMostOfProgram);
}

std::vector<Run> RunForecaster::newest_runs(RunFilter filter, std::size_t most) const {
  filter.newest = most;
  filter.left_out.insert(left_out_.begin(), left_out_.end());
  filter.held = held_;
  return store_->runs(filter);
}

/// Returns a text that is equal for two runs if their programs have the same files, as far as the
/// descriptions of their sweeps tell, and their laps are of one kind.
std::string RunForecaster::content_of(const Run& run) {
  return content_of(run.context) + "\n" + kind_of(run);
}

std::string RunForecaster::content_of(const RunContext& context) {
  const std::string& id = context.sweep;
  const auto [known, is_new] = contents_.try_emplace(id);
  if (is_new && !id.empty())
    if (const auto sweep = store_->sweep(id)) known->second = sweep->description;
  if (known->second) {
    // The files of a program that exists only on other machines are not known.
    const auto program = program_of_description(*known->second);
    return program && program->empty() ? id : *known->second;
  }
  return id.empty() ? "\n" + text_of_program(context) : id;
}

/// Returns the newest runs of the same program on the machine of a run.
std::vector<Run> RunForecaster::same_start_as(const Run& run) const {
  constexpr std::size_t kMost = 20;
  if (store_ == nullptr || cache_state_of(compile_caches_of(run)) == CacheState::unknown) return {};
  std::vector<Run> runs = newest_runs(of_program(run.context), kMost);
  std::erase_if(runs, [machine = machine_of(run), kind = kind_of(run)](const Run& each) {
    return machine_of(each) != machine || kind_of(each) != kind;
  });
  return runs;
}

std::vector<Run> RunForecaster::finished_of(const RunContext& context, std::size_t most,
                                            const std::set<std::string>& left_out) const {
  if (store_ == nullptr || context.program.empty()) return {};
  return newest_runs(
      {.kind = RunKind::full, .first_word = context.program[0], .left_out = left_out}, most);
}

/// Returns the record of the finished runs whose laps are of the same kind as those of `run`.
TrackRecord RunForecaster::record_of(const Run& run, const std::set<std::string>& left_out) const {
  std::vector<Run> finished = finished_of(run.context, kMostOfProgram, left_out);
  std::erase_if(finished, [kind = kind_of(run)](auto& each) { return kind_of(each) != kind; });
  return TrackRecord(finished);
}

const TrackRecord& RunForecaster::record_for(const Run& run) {
  const std::string file = run.context.program.empty() ? "" : run.context.program[0];
  const auto [entry, is_new] = records_.try_emplace({file, kind_of(run)});
  if (is_new) entry->second = record_of(run);
  return entry->second;
}

PastErrorsFor RunForecaster::past_errors_of(const RunContext& context) const {
  constexpr std::size_t kMostWhileItRuns = 30;  // the program's output waits for the forecast
  const auto record = std::make_shared<const TrackRecord>(finished_of(context, kMostWhileItRuns));
  return [record, context](const LapProfile& profile, const TrainingPlan& plan, Seconds rest) {
    PastErrors errors = recorded_errors(context, profile, plan, 0, *record);
    errors.wander = wander_of_rest(context, profile, rest);
    return errors;
  };
}

std::span<const ValidationSource> RunForecaster::sources_for(const Run& run) {
  const std::string program = text_of_program(run.context);
  const auto [entry, is_new] = sources_.try_emplace({program, kind_of(run)});
  if (!is_new) return entry->second;
  std::vector<Run> runs = take_runs_of(run.context);
  entry->second = validation_sources_of(runs);
  std::erase_if(entry->second, [&, kind = kind_of(run)](const ValidationSource& source) {
    const auto is_of = [&](const Run& each) { return each.context.id == source.run_id; };
    return kind_of(*std::ranges::find_if(runs, is_of)) != kind;
  });
  if (run.context.sweep.empty()) runs_of_program_ = {program, std::move(runs)};
  return entry->second;
}

TrainingPlan with_learned_epochs(TrainingPlan plan, const Run& run,
                                 const LearnedBySettings& learned) {
  const auto known = learned.find(run.context.settings);
  if (plan.epochs == 0 && plan.steps == 0 && known != learned.end())
    plan.epochs = known->second.epochs;
  return plan;
}

std::vector<ForecastRow> forecast_runs(const Store& store, std::span<const Run> runs,
                                       const ForecastRequest& request) {
  RunForecaster forecaster = request.alone ? RunForecaster() : RunForecaster(store);
  const std::vector<Run> others = request.goal ? store.runs() : std::vector<Run>{};
  std::vector<ForecastRow> rows;
  for (const Run& run : runs) {
    if (request.goal) {
      rows.push_back(forecast_until(run, request, others, forecaster));
      continue;
    }
    Assessment made =
        of_this_run(forecaster.forecast(run, request.plan, request.first_epochs), run);
    rows.push_back({&run, std::move(made), {}, {}});
    if (const auto& plan = rows.back().assessment.plan) rows.back().real = real_time_of(run, *plan);
  }
  return rows;
}

TrainingGoal parse_target(const std::string& text, bool lower) {
  const std::size_t equals = text.rfind('=');
  const std::string name = equals == text.npos ? "" : text.substr(0, equals);
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] =
      std::from_chars(std::min(text.data() + name.size() + 1, end), end, value);
  const bool fine = !name.empty() && name.size() <= 200 && printable(name) == name &&
                    error == std::errc{} && stop == end && std::isfinite(value);
  if (!fine)
    throw Error(ExitCode::usage,
                fmt::format("'{}' is not a target; it is a metric that the program "
                            "reports and a number, such as val_accuracy=0.75",
                            printable(text, 100)));
  return {.metric = name, .smaller_is_better = lower || smaller_is_better(name), .target = value};
}

std::string describe(const TrainingGoal& goal) {
  if (goal.target)
    return fmt::format("{} {} {:g}", goal.metric,
                       goal.smaller_is_better ? "<=" : ">=", *goal.target);
  return fmt::format("{} not better for {} reports", goal.metric, goal.patience);
}

}  // namespace lapcast
