#include "history/learned_epochs.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "forecast/learning_curve.h"
#include "lap/lap_log.h"
#include "run/settings.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

std::int64_t ended_epochs(const LapLog& log) {
  return std::count_if(log.epochs.begin(), log.epochs.end(),
                       [](const EpochSpan& epoch) { return epoch.ended; });
}

using Placeholders = std::map<std::string, std::string>;  // RunContext::settings

bool is_with_seed_0(const Placeholders& settings) {
  const auto seed = settings.find(kSeedSetting);
  return seed != settings.end() && seed->second == kSeedOfProbes;
}

/// Returns the settings of the probes to which the epochs of a repeat's run apply.
Placeholders with_seed_0(Placeholders settings) {
  if (const auto seed = settings.find(kSeedSetting); seed != settings.end())
    seed->second = kSeedOfProbes;
  return settings;
}

/// Collects the epochs of trainings with the same settings, separately for each sweep and way to
/// stop.
class TrainedEpochs {
 public:
  void add(const RunContext& context, std::int64_t epochs) {
    newest_ = {context.sweep, context.metric, context.patience};
    if (epochs > 0) epochs_[newest_].push_back(epochs);
  }
  std::vector<std::int64_t> newest() && { return std::move(epochs_[newest_]); }

 private:
  using Way = std::tuple<std::string, std::string, std::int64_t>;
  Way newest_;
  std::map<Way, std::vector<std::int64_t>> epochs_;
};

std::int64_t epochs_until_stop(const RunContext& context, const LapLog& log) {
  const auto by_patience = context.patience > 0
                               ? epochs_of_patience(log, context.metric, context.patience)
                               : std::nullopt;
  return by_patience.value_or(ended_epochs(log));
}

void add_accuracy(LearnedEpochs& learned, const LapLog& log) {
  if (const auto best = best_metric(log, "val_accuracy"))
    learned.accuracy = std::max(learned.accuracy.value_or(best->value), best->value);
}

void set_epochs(LearnedEpochs& learned, std::vector<std::int64_t> trained) {
  learned.trained = std::move(trained);
  if (learned.trained.empty()) return;
  const std::vector<double> values(learned.trained.begin(), learned.trained.end());
  learned.epochs = std::max<std::int64_t>(1, std::llround(mean(values)));
}

}  // namespace

LearnedBySettings learned_epochs(std::span<const Run> runs) {
  std::set<Placeholders> own_seed_0;  // seeds that the user named, 0 among them
  for (const Run& run : runs)
    if (run.context.kind == RunKind::find_epochs && is_with_seed_0(run.context.settings))
      own_seed_0.insert(run.context.settings);
  std::map<Placeholders, TrainedEpochs> trained;
  LearnedBySettings result;
  for (const Run& run : runs) {
    if (run.context.kind == RunKind::probe || !has_laps(run.outcome)) continue;
    // A run that was stopped before its end has not reached the accuracy that it could.
    if (run.context.kind == RunKind::full && !std::holds_alternative<outcome::Ended>(run.outcome))
      continue;
    std::set<Placeholders> taught{run.context.settings};
    if (run.context.kind == RunKind::find_epochs)
      if (const auto repeated = with_seed_0(run.context.settings); !own_seed_0.contains(repeated))
        taught.insert(repeated);
    const auto log = laps_of(run);
    for (const Placeholders& settings : taught) {
      add_accuracy(result[settings], *log);
      if (run.context.kind == RunKind::find_epochs)
        trained[settings].add(run.context, epochs_until_stop(run.context, *log));
    }
  }
  for (auto& [settings, counts] : trained) set_epochs(result[settings], std::move(counts).newest());
  return result;
}

}  // namespace lapcast
