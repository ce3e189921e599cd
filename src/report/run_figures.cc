#include "report/run_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "extrapolate/length_line.h"
#include "forecast/disturbance.h"
#include "forecast/memory_use.h"
#include "history/assessment.h"
#include "run/attempts.h"
#include "run/libraries.h"
#include "run/secrets.h"
#include "run/settings.h"

namespace lapcast {
namespace {

std::string on_what(const MachineType& type) {
  std::string text;
  if (!type.cpus.empty()) text += ", CPUs " + format_cpu_list(type.cpus);
  if (type.cpu_quota) text += fmt::format(", quota {}", format_share(*type.cpu_quota));
  for (const auto& [name, value] : type.environment)
    text += fmt::format(", {}={}", name, masked_value(name, value));
  return text;
}

using Figures = std::vector<Figure>;

void add_warnings(Table& table, const std::vector<std::string>& warnings) {
  table.warnings.insert(table.warnings.end(), warnings.begin(), warnings.end());
}

/// Adds how much of the machine others used, and what the program lost by that.
void add_others(Figures& figures, const std::optional<Disturbance>& others) {
  if (others && others->covered.count() > 0) {
    figures.push_back({"others_used_cpus", "others used", Number{others->others_cpus, 2},
                       fmt::format("of the program's {:.0f} CPUs", others->cpus)});
    figures.push_back(
        {"lost_to_others_s", "lost to others", others->covered * others->lost_share,
         fmt::format("{} of the time that was looked at", format_share(others->lost_share))});
    figures.push_back({"lost_to_others_share", "", Percentage{others->lost_share}});
  }
  if (others && others->gpu_shared > 0)
    figures.push_back({"gpu_shared_share", "GPU used by others too", Percentage{others->gpu_shared},
                       "of the time"});
  if (others && others->gpu_slowed > 0)
    figures.push_back({"gpu_slowed_share", "GPU slowed by heat or power",
                       Percentage{others->gpu_slowed}, "of the time"});
}

/// Adds the measurements of a run that lapcast started, and what its program reported.
void add_measured(Figures& figures, const Run& run, const LapLog& log) {
  for (const PreparationStep& step : run.preparation)
    figures.push_back({"", "before: " + step.what, step.time,
                       step.bytes > 0 ? format_bytes(step.bytes) + " sent" : ""});
  const Seconds wall = run.wall();
  const Usage& usage = run.usage;
  figures.push_back({"wall_time_s", "wall time", wall, "start to end of the process"});
  if (const Seconds all = time_of_attempts(run); all > wall)
    figures.push_back({"all_attempts_s", "all attempts", all,
                       fmt::format("{} of it lost work, done again after the checkpoint",
                                   format_duration(lost_work(run)))});
  figures.push_back({"user_cpu_s", "", usage.user});
  figures.push_back({"system_cpu_s", "", usage.system});
  if (wall.count() > 0)
    figures.push_back({"used_cpus", "CPUs used", Number{(usage.user + usage.system) / wall, 2},
                       fmt::format("{} user, {} system", format_duration(usage.user),
                                   format_duration(usage.system))});
  add_others(figures, disturbance_of(log.loads));
  const std::vector<MeteredMemory> memory = memory_of(run, log);
  const auto share = memory.empty() ? std::nullopt : memory.front().share();
  figures.push_back(
      {"peak_memory_bytes", "peak memory", Bytes{usage.peak_rss_bytes}, "of the largest process"});
  if (share && memory.front().meter == MemoryMeter::process) {
    figures.push_back({"memory_share", "share of main memory", Percentage{*share},
                       fmt::format("at most {} of {}", format_bytes(memory.front().peak_bytes),
                                   format_bytes(memory.front().memory_bytes))});
  }
  if (log.device_memory_bytes > 0)
    figures.push_back({"peak_device_memory_bytes", "peak device memory",
                       Bytes{log.device_memory_bytes}, "reported by the program"});
}

/// Adds how long exchanges between the workers took, and by how many steps gradients were late, if
/// the program reported these means.
void add_exchange(Figures& figures, const LapProfile& profile, const LapLog& log) {
  const auto last = [&](std::string_view name) -> std::optional<double> {
    const auto found =
        std::ranges::find(log.metrics.rbegin(), log.metrics.rend(), name, &MetricPoint::name);
    if (found == log.metrics.rend() || !(found->value >= 0) || std::isinf(found->value))
      return std::nullopt;
    return found->value;
  };
  if (const auto seconds = last("exchange_seconds")) {
    const Seconds exchange{*seconds};
    const double share = exchange / std::max(profile.steady.mean.mid, Seconds{1e-12});
    figures.push_back({"exchange_s", "exchange of workers", exchange,
                       format_share(share) + " of a lap, as the program reported"});
  }
  if (const auto steps = last("staleness"))
    figures.push_back({"staleness", "staleness", Number{*steps, 2},
                       "steps of others between those of one worker, on average"});
}

}  // namespace

std::string outcome_as_judged_now(const Run& run, const LapProfile* profile) {
  const auto* enough = std::get_if<outcome::Enough>(&run.outcome);
  const bool is_of_laps = enough != nullptr && precision_at(enough->rule) != std::string::npos;
  const std::string now =
      profile != nullptr && is_of_laps ? describe_precision(profile->steady) : "";
  return describe(now.empty() ? run.outcome : Outcome{outcome::Enough{now}});
}

Table run_figures(const Run& run, const LapProfile* profile) {
  const RunContext& context = run.context;
  const std::string outcome = outcome_as_judged_now(run, profile);
  Figures figures{{"id", "", context.id},
                  {"sweep", "", text_cell(context.sweep)},
                  {"program", "program", shown_program(context)},
                  {"settings", "", Settings{settings_text(context)}},
                  {"machine_type", "", context.machine_type.name},
                  {"", "machine type", context.machine_type.name + on_what(context.machine_type),
                   context.machine.cpu_model},
                  {"cpu_model", "", text_cell(context.machine.cpu_model)},
                  {"host", "", text_cell(context.machine.host)},
                  {"place", "", text_cell(context.place)}};
  if (!context.place.empty()) figures.push_back({"", "place", context.place, context.machine.host});
  figures.push_back({"outcome", "", cell_of(outcome_kind(run.outcome))});
  figures.push_back({"outcome_text", "outcome", outcome});
  figures.push_back({"kind", "kind", cell_of(to_string(context.kind))});
  figures.push_back({"warm_up", context.warm_up ? "warm-up" : "", context.warm_up,
                     "one of the first repeats: no mean counts it"});
  figures.push_back(
      {"started_at", context.started_at.empty() ? "" : "started", text_cell(context.started_at)});
  figures.push_back({"imported", "", context.imported});
  if (const std::string libraries = libraries_text(run); !libraries.empty())
    figures.push_back({"libraries", "libraries", libraries});
  std::vector<std::string> notes;
  if (context.imported_from.empty()) {
    const auto log = laps_of(run);
    add_measured(figures, run, *log);
    notes = log->notes;
    const std::vector<MeteredMemory> memory = memory_of(run, *log);
    std::ranges::move(memory_warnings(memory), std::back_inserter(notes));
    std::ranges::move(sequence_warnings(sequence_needs(log->sequences, memory)),
                      std::back_inserter(notes));
  } else {
    figures.push_back({"imported_from", "imported from", context.imported_from});
    figures.push_back({"wall_time_s", "wall time", run.wall(), "as the log says"});
  }
  Table table = figure_table("run", "Run " + context.id, std::move(figures));
  if (context.imported) table.notes.push_back("imported from a file: lapcast starts nothing of it");
  add_warnings(table, run.warnings);
  add_warnings(table, notes);
  return table;
}

Table profile_figures(const LapProfile& profile, const LapLog& log) {
  const SteadyLaps& steady = profile.steady;
  Figures figures{
      {"laps", "", cell_of(profile.laps.size())},
      {"start", "", cell_of(to_string(profile.start))},
      {"init_s", "init", profile.init,
       fmt::format("{} start: process start to first iteration", to_string(profile.start))},
      {"first_lap_s", "first lap", profile.first_lap},
      {"warm_up_laps", "warm-up", cell_of(steady.warm_up_laps), steady.why},
      {"steady_laps", "", cell_of(steady.laps)},
      {"independent_laps", "", Number{steady.effective_laps, 0}},
      {"stalls", "", cell_of(steady.stalls)},
      {"lap_median_s", "steady lap (median)", steady.median, fmt::format("{} laps", steady.laps)},
      {"lap_s", "steady lap (mean)", steady.mean,
       fmt::format("worth {:.0f} independent laps; {} stalls kept out", steady.effective_laps,
                   steady.stalls)},
      {"samples_per_lap", "", Number{steady.samples_per_lap, 0}},
      {"samples_per_second", "samples per second", steady.samples_per_second,
       fmt::format("{:.0f} samples a lap", steady.samples_per_lap)}};
  if (profile.validation)
    figures.push_back(
        {"validation_s", "validation", profile.validation->later,
         fmt::format("{} samples; {}", profile.validation->samples, profile.validation->why)});
  if (profile.epoch_overhead)
    figures.push_back({"between_epochs_s", "between epochs", *profile.epoch_overhead, "measured"});
  if (profile.checkpoint)
    figures.push_back({"checkpoint_s", "checkpoint", *profile.checkpoint, "measured"});
  add_exchange(figures, profile, log);
  Table table = figure_table("profile", "Laps", std::move(figures));
  table.notes = profile.notes;
  return table;
}

Table preparation_table(const Run& run) {
  Table table = table_of<PreparationStep>(
      "preparation", "",
      {{"step", "step", &PreparationStep::what},
       {"time_s", "time", &PreparationStep::time},
       {"sent_bytes", "sent", [](auto& step) { return Bytes{step.bytes}; }}},
      run.preparation);
  table.only_json = true;
  return table;
}

}  // namespace lapcast
