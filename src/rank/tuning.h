#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "history/assessment.h"
#include "lap/lap_log.h"
#include "rank/race_result.h"
#include "run/run.h"

namespace lapcast {

/// Describes one setting of a machine, or of a program, that a tuning tries.
struct TuneSetting {
  std::string name;                                // what it sets: "threads"
  std::string value;                               // "1"
  std::map<std::string, std::string> environment;  // what the program gets for it
  bool changes_results = false;                    // by more than the order of additions
  /// Says what to write in a Python program instead, because the environment works only with
  /// lapcast's hook. Empty = the environment is enough.
  std::string in_program = {};
  friend bool operator==(const TuneSetting&, const TuneSetting&) = default;
};

/// Names the variable for lapcast's hook, with words joined by commas.
inline constexpr const char* kHookVariable = "LAPCAST_TORCH";

/// Returns the variables of all settings together, with those of kHookVariable joined.
std::map<std::string, std::string> environment_of(std::span<const TuneSetting> settings);

/// Returns the candidate with these settings and their environment added to its own.
RunContext with_settings(RunContext context, std::span<const TuneSetting> settings);

/// Returns "malloc=keep threads=1"; empty for no settings.
std::string text_of_settings(std::span<const TuneSetting> settings);

/// Returns the time of a training over that of another, both forecast from probes of one machine:
/// from the cases of both if they are known, else as independent lognormal times. Returns nullopt
/// if one of them has no forecast.
std::optional<Interval<double>> ratio_of_times(const Assessment& tuned, const Assessment& base);

/// Returns the indices of the settings to keep, by the time with each over that without it: for
/// each name the fastest that is certainly faster. If there is none, the one setting that looks
/// fastest, if it is faster by kWorthTrying or more. `ratios` has one element for each setting.
std::vector<std::size_t> settings_to_combine(
    std::span<const TuneSetting> settings, std::span<const std::optional<Interval<double>>> ratios);
/// Sets the smallest gain worth repeated runs, which could not tell a smaller one from zero.
inline constexpr double kWorthTrying = 0.03;

/// Returns the geometric mean of tuned[i] / base[i], times that were measured alternately, with its
/// 95 % interval by Student's t of the logarithms; unbounded for one pair. Returns nullopt without
/// pairs.
std::optional<Interval<double>> ratio_of_pairs(std::span<const double> tuned,
                                               std::span<const double> base);

/// Holds a loss that two runs reported after the same number of laps.
struct ComparedLoss {
  std::string metric;
  std::int64_t laps = 0;
  double value = 0;
  double base = 0;
};
/// Returns the last loss that both runs reported after equally many laps: as seen by the hook, else
/// as reported by the programs. Returns nullopt if there is none.
std::optional<ComparedLoss> compared_loss(const LapLog& run, const LapLog& base);

/// Holds one combination of settings after the search.
struct TuneRow {
  std::string settings;  // empty = the base
  RaceRow race;
  std::optional<Interval<double>> ratio;  // its time over that of the base
  double chance_fastest = 0;
  std::optional<ComparedLoss> loss;  // for settings that change results
};

/// Holds the result of repeated runs, made alternately, of the combination that the search found.
struct TuneVerdict {
  std::vector<TuneSetting> chosen;  // empty = nothing looked faster
  std::size_t pairs = 0;            // of runs, one with and one without
  std::optional<Interval<double>> ratio;
  std::string why_not_known;  // why there is no ratio, although something was chosen

  /// Returns whether the combination is certainly faster.
  bool is_sure() const { return !chosen.empty() && ratio && ratio->high < 1; }
};

}  // namespace lapcast
