#include "query/run_power.h"

#include <fmt/format.h>

#include <cstddef>
#include <ctime>
#include <utility>

#include "core/units.h"
#include "energy/other_batch.h"
#include "energy/training_energy.h"
#include "query/input_files.h"
#include "run/program_folder.h"

namespace lapcast {
namespace {

bool was_measured(const Candidate& candidate) {
  return candidate.power && candidate.power->source != EnergySource::predicted;
}

/// Returns the time of one more epoch of a long training; 0 = not known.
double epoch_seconds(const Candidate& candidate) {
  constexpr double kMany = 1000;
  if (!candidate.time_by_epochs) return 0;
  return (candidate.time_by_epochs(2 * kMany) - candidate.time_by_epochs(kMany)).count() / kMany;
}

bool is_on_same_machine(const RunContext& a, const RunContext& b) {
  return is_same_program(a, b) && a.place == b.place && a.machine == b.machine &&
         same_hardware(a.machine_type, b.machine_type);
}

/// Returns by how many seconds the clock on this machine's wall is ahead of UTC: nvidia-smi and
/// many meters write its times.
double ahead_of_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  return localtime_r(&now, &local) == nullptr ? 0 : static_cast<double>(local.tm_gmtoff);
}

}  // namespace

MeterReadings read_meter_file(const std::string& file) {
  Result<PowerSeries> series = read_meter(read_file(file, "meter's file"), ahead_of_utc());
  if (!series)
    throw Error(ExitCode::bad_input,
                fmt::format("meter's file {}: {}", printable(file), series.error().text));
  MeterReadings readings{std::move(*series), {}};
  for (const auto& [reason, count] : readings.series.refused)
    readings.lines.push_back(
        fmt::format("meter's file {}: {} left out: {}", printable(file), count, reason));
  return readings;
}

void fill_in_power(std::vector<Candidate>& candidates, std::span<const Run* const> runs,
                   const std::optional<MeterReadings>& meter) {
  for (std::size_t i = 0; i < candidates.size(); ++i)
    candidates[i].power = power_of_run(*runs[i], meter ? &meter->series : nullptr);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (was_measured(candidates[i])) continue;
    std::vector<BatchPower> others;
    for (std::size_t other = 0; other < candidates.size(); ++other)
      if (was_measured(candidates[other]) &&
          is_on_same_machine(runs[i]->context, runs[other]->context))
        others.push_back({epoch_seconds(candidates[other]), candidates[other].power->watts.mid});
    if (const auto watts = power_at_other_batch(others, epoch_seconds(candidates[i])))
      candidates[i].power = TrainingPower{.watts = *watts};
  }
}

}  // namespace lapcast
