#include "query/home_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/lower_case.h"
#include "core/units.h"
#include "extrapolate/memory_fit.h"
#include "fleet/worker_gpus.h"
#include "forecast/plan.h"
#include "query/worker_forecast.h"
#include "toml/fleet_section.h"
#include "toml/toml_tree.h"

namespace lapcast {
namespace {

constexpr double kMost = 1e18;  // of a figure in a profile
// Is the error of a lap that somebody wrote down, as a share: assumed.
constexpr double kWrittenError = 0.05;

/// Returns the batch size of a run: its setting, else that of its laps.
double batch_of(const Run& run) {
  const auto setting = run.context.settings.find("batch");
  if (setting != run.context.settings.end())
    if (const auto value = number_in(setting->second); value && *value > 0) return *value;
  return static_cast<double>(std::max<std::int64_t>(1, batch_size_of(run)));
}

/// Returns the most memory that the program's accelerators had in use.
std::optional<std::int64_t> peak_of(std::span<const GpuUse> uses) {
  std::optional<std::int64_t> peak;
  for (const GpuUse& use : uses)
    if (use.used_by_program && use.peak_memory_bytes)
      peak = std::max(peak.value_or(0), *use.peak_memory_bytes);
  return peak;
}

/// Returns the memory below which the batch of a run surely does not fit, by the line of a meter
/// through the peaks of all runs, or nothing if they have no clear line.
std::optional<std::int64_t> least_by_line(std::span<const Run> runs, const Run& run,
                                          MemoryMeter meter, double least_share) {
  for (const MemoryByBatch& program : memory_by_batch(runs)) {
    if (std::ranges::find(program.uses, run.context.id, &MemoryUse::run) == program.uses.end())
      continue;
    const auto line = program.line(meter);
    if (line && line->share_of_batch() >= least_share)
      return std::llround(line->at(std::llround(batch_of(run))).low / kUsableShare);
  }
  return std::nullopt;
}

/// Sets the memory below which the batch of a run surely does not fit: that of a GPU by the
/// allocator's line, else the peak that the driver saw; without a GPU the main memory by the line
/// of its processes, else their peak.
void take_memory(std::span<const Run> runs, const Run& run, std::span<const GpuUse> uses,
                 HomeMeasurement& home) {
  if (home.accelerator != nullptr) {
    home.peak_bytes = least_by_line(runs, run, MemoryMeter::allocator, kClearLine);
    if (!home.peak_bytes) home.peak_bytes = peak_of(uses);
    return;
  }
  home.main_bytes = least_by_line(runs, run, MemoryMeter::process, 0);
  if (!home.main_bytes && run.usage.peak_rss_bytes > 0) home.main_bytes = run.usage.peak_rss_bytes;
}

/// Returns the name of the accelerator that a run trained on, or nothing if it used none.
std::optional<std::string> accelerator_of(const Run& run, std::span<const GpuUse> uses) {
  const auto& accelerators = run.context.machine.accelerators;
  if (accelerators.empty()) return std::nullopt;
  if (!uses.empty() && std::ranges::none_of(uses, &GpuUse::used_by_program) &&
      std::ranges::all_of(uses, was_idle))
    return std::nullopt;
  return accelerators.front().model;
}

void take_training(const Forecast& forecast, HomeMeasurement& home) {
  Seconds fixed{0};
  for (const ForecastPart& part : forecast.parts)
    if (part.kind == PartKind::init || part.kind == PartKind::tear_down) fixed += part.time.mid;
  const auto rest = [&](Seconds total) { return std::max(total - fixed, Seconds{1e-9}); };
  home.fixed = fixed;
  home.laps_of_training = {rest(forecast.total.low), rest(forecast.total.mid),
                           rest(forecast.total.high)};
}

ProbeLap probe_of_assessed(const Run& run, const Assessment& assessment,
                           std::span<const GpuUse> uses, const AcceleratorSpec* accelerator) {
  ProbeLap probe{accelerator,
                 {batch_of(run), assessment.profile->steady.mean.mid.count(), {}},
                 {},
                 static_cast<int>(std::lround(workers_of(run).all())),
                 assessment.forecast->total};
  if (accelerator == nullptr)
    probe.cpu = cpu_machine_of(run.context.machine_type, run.context.machine);
  else
    probe.lap.busy_share = busy_share(uses);
  return probe;
}

/// Returns the last value of a metric of the program.
std::optional<double> metric_of(const LapLog& log, std::string_view name) {
  const auto last =
      std::ranges::find(log.metrics.rbegin(), log.metrics.rend(), name, &MetricPoint::name);
  return last == log.metrics.rend() || !(last->value > 0) ? std::nullopt
                                                          : std::optional(last->value);
}

/// Takes a lap at home with its training. A lap on other workers than the first one's says only how
/// the training scales.
void take_at_home(const HomeLap& lap, TrainingOnWorkers training, HomeMeasurement& home) {
  home.on_workers.push_back(std::move(training));
  if (home.on_workers.back().workers == home.on_workers.front().workers) home.laps.push_back(lap);
}

void take_counted_work(const Run& run, HomeMeasurement& home) {
  home.flops = metric_of(*laps_of(run), "flops");
  home.activations = metric_of(*laps_of(run), "activations");
}

/// Returns the runs, those on machines with an accelerator first.
std::vector<const Run*> accelerated_first(std::span<const Run> runs) {
  std::vector<const Run*> ordered;
  for (const Run& run : runs) ordered.push_back(&run);
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const Run* run) { return !run->context.machine.accelerators.empty(); });
  return ordered;
}

/// Returns the accelerator that a key of a profile names.
const AcceleratorSpec* accelerator_in(const FleetSection& section, const AcceleratorTable& table) {
  const auto match = table.find(section.text("accelerator"));
  if (!match) section.fail("accelerator", match.error().text);
  return match->accelerator;
}

int workers_in(const FleetSection& section) {
  const double workers = section.number("workers", 1, static_cast<double>(kMostWorkers));
  if (workers != std::floor(workers)) section.fail("workers", "must be a whole number");
  return static_cast<int>(workers);
}

HomeLap lap_in(const FleetSection& section) {
  HomeLap lap{section.number("batch", 1, kMost), section.number("seconds", 1e-9, 1e9), {}};
  if (section.has("busy")) lap.busy_share = section.number("busy", 0.001, 1);
  return lap;
}

/// Returns the training of a lap that somebody wrote down. Throws Error (usage) where the plan does
/// not say how many laps it has.
TrainingOnWorkers written_training(const ProbeLap& written, const TrainingPlan& plan) {
  TrainingOnWorkers training{.workers = {1, double(written.workers)},
                             .batch = written.lap.batch * written.workers};
  TrainingPlan asked = plan;
  if (asked.iterations_per_epoch == 0)
    asked.iterations_per_epoch = static_cast<std::int64_t>(
        std::ceil(static_cast<double>(plan.training_samples) / training.batch));
  const double count = laps_of(asked);
  if (!(count > 0))
    throw Error(ExitCode::usage,
                "a profile does not say how long the training is: give --epochs N and --samples N");
  training.counts_laps = plan.epochs == 0 && plan.steps > 0;
  const auto with_error = [](Seconds time) {
    return Interval<Seconds>{time * std::exp(-kWrittenError), time, time * std::exp(kWrittenError)};
  };
  training.lap = with_error(Seconds{written.lap.seconds});
  training.training = with_error(Seconds{count * written.lap.seconds});
  return training;
}

void take_precision(const std::optional<PrecisionClass>& asked, const Run& run,
                    HomeMeasurement& home) {
  const auto told = precision_named(laps_of(run)->numbers);
  home.precision = asked ? *asked : told.value_or(home.precision);
  if (asked || told) home.precision_from = asked ? "option" : "program";
}

}  // namespace

Result<HomeMeasurement> home_of_runs(std::span<const Run> runs, const RunAssessor& judge,
                                     const std::string& accelerator,
                                     const std::optional<PrecisionClass>& precision,
                                     const AcceleratorTable& table) {
  HomeMeasurement home;
  bool is_told_workers = false;
  std::optional<Reason> missing;
  for (const Run* run : accelerated_first(runs)) {
    const Assessment assessment = judge(*run);
    if (!assessment.forecast) {
      if (!missing) missing = assessment.forecast.error();
      continue;
    }
    const auto uses = use_in_training(*laps_of(*run));
    const auto spec = trained_on(*run, uses, accelerator, table);
    if (!spec) return tl::unexpected(spec.error());
    const ProbeLap probe = probe_of_assessed(*run, assessment, uses, *spec);
    if (home.laps.empty()) {
      home.accelerator = *spec;
      home.cpu = probe.cpu;
      home.run_time = run->wall();
      take_precision(precision, *run, home);
      take_training(*assessment.forecast, home);
      take_memory(runs, *run, uses, home);
      take_counted_work(*run, home);
    }
    if (*spec != home.accelerator || probe.cpu != home.cpu) {
      home.probes.push_back(probe);
      continue;
    }
    take_at_home(probe.lap, training_on_workers(*run, assessment), home);
    is_told_workers |= probe.workers > 1 || stated_workers(run->context.settings);
  }
  if (home.laps.empty()) return tl::unexpected(missing.value_or(Reason{"no run has laps"}));
  if (!is_told_workers) home.on_workers.clear();
  return home;
}

Result<const AcceleratorSpec*> trained_on(const Run& run, std::span<const GpuUse> uses,
                                          const std::string& named, const AcceleratorTable& table) {
  const auto name = named.empty() ? accelerator_of(run, uses) : named;
  if (!name) return nullptr;
  const auto match = table.find(*name);
  if (!match) return tl::unexpected(match.error());
  return match->accelerator;
}

Result<ProbeLap> probe_lap_of(const Run& run, const RunAssessor& judge,
                              const AcceleratorSpec* accelerator) {
  const Assessment assessment = judge(run);
  if (!assessment.forecast) return tl::unexpected(assessment.forecast.error());
  return probe_of_assessed(run, assessment, use_in_training(*laps_of(run)), accelerator);
}

CpuMachine cpu_machine_of(const MachineType& type, const MachineDescription& machine) {
  const std::size_t cpus = type.cpus.empty() ? machine.allowed_cpus.size() : type.cpus.size();
  CpuMachine result{type.name, cpus > 0 ? static_cast<double>(cpus) : machine.threads,
                    type.cpu_quota, machine.max_clock_ghz, machine.isa};
  if (!result.quota) result.quota = machine.cpu_limit;
  // PyTorch's and oneDNN's own names of what a program is limited to.
  for (const char* variable : {"ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA"}) {
    const auto limit = type.environment.find(variable);
    if (limit == type.environment.end()) continue;
    const std::string value = lower_case(limit->second);
    if (value == "avx2") result.isa = "AVX2";
    if (value == "default" || value == "sse41") result.isa = "SSE4.2";
  }
  return result;
}

HomeMeasurement home_of_profile(const std::string& text, const std::string& file,
                                const TrainingPlan& plan, const AcceleratorTable& table) {
  const TomlNode root = parse_toml(text, file);
  const FleetSection section(root, "the profile", file);
  section.allow_only({"accelerator", "numbers", "memory", "flops", "activations", "lap"});
  HomeMeasurement home;
  if (section.has("accelerator")) home.accelerator = accelerator_in(section, table);
  if (section.has("numbers")) {
    const auto precision = precision_named(section.text("numbers"));
    if (!precision) section.fail("numbers", "must be fp32, tf32 or amp");
    home.precision = *precision;
    home.precision_from = "profile";
  }
  if (section.has("memory"))
    home.peak_bytes = section.at("memory", [&] { return parse_bytes(section.text("memory")); });
  if (section.has("flops")) home.flops = section.number("flops", 1, kMost);
  if (section.has("activations")) home.activations = section.number("activations", 1, kMost);
  if (!section.has("lap")) section.fail("a [[lap]] with batch and seconds is missing");
  const TomlNode& laps = section.value("lap");
  if (laps.kind != TomlNode::Kind::list || laps.items.empty())
    section.fail("lap", "must be [[lap]] tables with batch and seconds");
  bool is_told_workers = false;
  for (const TomlNode& item : laps.items) {
    const FleetSection lap(item, "[[lap]]", file);
    lap.allow_only({"accelerator", "batch", "seconds", "busy", "workers"});
    const AcceleratorSpec* spec =
        lap.has("accelerator") ? accelerator_in(lap, table) : home.accelerator;
    ProbeLap written{spec, lap_in(lap)};
    if (lap.has("workers")) written.workers = workers_in(lap);
    if (spec != home.accelerator) {
      home.probes.push_back(written);
      continue;
    }
    take_at_home(written.lap, written_training(written, plan), home);
    is_told_workers |= lap.has("workers");
  }
  if (home.laps.empty()) section.fail("lap", "needs a [[lap]] of the profile's own machine");
  home.laps_of_training = home.on_workers.front().training;
  if (!is_told_workers) home.on_workers.clear();
  return home;
}

}  // namespace lapcast
