#include "extrapolate/scaled_training.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "stats/distributions.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr double kWorthAProbe = 0.8;  // a probe that leaves more of the spread is not named

/// Returns the samples of one worker in a lap, by the rule.
double own_batch(const TrainingOnWorkers& run, BatchRule rule) {
  return rule == BatchRule::global ? run.batch : run.batch / run.workers.all();
}

/// Returns whether two batches are the same but for workers that do not divide one evenly.
bool is_same(double batch, double other) {
  return std::abs(batch - other) <= 0.02 * std::max(batch, other);
}

double noise_of(const Interval<Seconds>& lap) {
  return std::hypot(std::log(lap.high / lap.low) / (2 * kZ95), WorkerScalingPrior().lap_noise);
}

/// Returns a training whose epochs may be others: both errors are independent, and what laps do not
/// change has its own.
Interval<Seconds> with_error_of_epochs(const Interval<Seconds>& training, Seconds fixed,
                                       const Interval<double>& epochs) {
  if (epochs.low == epochs.high) return training;
  const Seconds least{1e-9};
  const Interval<Seconds> laps{std::max(training.low - fixed, least),
                               std::max(training.mid - fixed, least),
                               std::max(training.high - fixed, least)};
  const Interval<Seconds> all =
      LogErrors()
          .add(laps)
          .add(std::log(epochs.mid / epochs.low), std::log(epochs.high / epochs.mid))
          .around(laps.mid);
  return {all.low + fixed, all.mid + fixed, all.high + fixed};
}

/// Fits the laps of all runs, and answers for the batch of the first one.
class TrainingScaler {
 public:
  TrainingScaler(std::span<const TrainingOnWorkers> runs, const EpochsByBatch& needs)
      : runs_(runs), needs_(needs), rule_(batch_rule_of(runs)) {
    for (const TrainingOnWorkers& run : runs) {
      const double batch = own_batch(run, rule_);
      auto known = std::ranges::find_if(batches_, [&](double b) { return is_same(b, batch); });
      if (known == batches_.end()) known = batches_.insert(known, batch);
      model_.add_lap(static_cast<std::size_t>(known - batches_.begin()), shared(run.workers),
                     std::log(run.lap.mid.count()), noise_of(run.lap));
    }
  }

  BatchRule rule() const { return rule_; }

  WorkerScaling::Asked asked(const Workers& workers) const { return {0, shared(workers)}; }

  /// Returns the run on these workers with the batch of the first one; nullptr if none has it.
  const TrainingOnWorkers* measured(const Workers& workers) const {
    for (const TrainingOnWorkers& run : runs_)
      if (run.workers.nodes == workers.nodes && run.workers.in_node == workers.in_node &&
          is_same(own_batch(run, rule_), batches_.front()))
        return &run;
    return nullptr;
  }

  ScaledTraining scaled(const Workers& workers, const Interval<double>& log_lap) const {
    ScaledTraining row{workers, measured(workers), {}, 1, {}};
    const TrainingOnWorkers& base = row.measured != nullptr ? *row.measured : nearest(workers);
    row.epochs = epochs_needed(base, workers);
    if (row.measured != nullptr) {
      row.lap = row.measured->lap;
      row.training = row.measured->training;
    } else {
      row.lap = seconds_of(log_lap);
      const double more = row.epochs ? row.epochs->mid / base.epochs : 1;
      row.training = training_with_laps(base, laps_for_those_of(base, workers) * more, log_lap);
    }
    if (row.epochs) row.training = with_error_of_epochs(row.training, base.fixed, *row.epochs);
    return row;
  }

  /// Returns the epochs that the training of a run needs on some workers; nothing if that is not
  /// known.
  std::optional<Interval<double>> epochs_needed(const TrainingOnWorkers& base,
                                                const Workers& workers) const {
    if (needs_.empty() || !(base.epochs > 0) || !(base.batch > 0)) return std::nullopt;
    return epochs_at(needs_, base.batch / laps_for_those_of(base, workers));
  }

  /// Returns how many laps of the workers replace one of a run.
  double laps_for_those_of(const TrainingOnWorkers& base, const Workers& workers) const {
    return keeps_laps(base) ? 1 : base.workers.all() / workers.all();
  }

  const WorkerScaling& model() const { return model_; }

 private:
  bool keeps_laps(const TrainingOnWorkers& base) const {
    return rule_ == BatchRule::global || base.counts_laps;
  }

  Workers shared(Workers workers) const {
    if (rule_ == BatchRule::global) workers.share = 1 / workers.all();
    return workers;
  }

  /// Returns the run with the batch of the first one whose number of workers is nearest.
  const TrainingOnWorkers& nearest(const Workers& workers) const {
    const TrainingOnWorkers* best = &runs_.front();
    const auto off = [&](const TrainingOnWorkers& run) {
      return std::abs(std::log(run.workers.all() / workers.all()));
    };
    for (const TrainingOnWorkers& run : runs_)
      if (is_same(own_batch(run, rule_), batches_.front()) && off(run) < off(*best)) best = &run;
    return *best;
  }

  std::span<const TrainingOnWorkers> runs_;
  const EpochsByBatch& needs_;
  BatchRule rule_;
  std::vector<double> batches_;  // of one worker; the number of the kind of work
  WorkerScaling model_;
};

/// Returns the probe on one or two nodes that leaves the least spread of the laps not measured.
std::optional<WorkerProbe> best_probe(const TrainingScaler& scaler,
                                      std::span<const ScaledTraining> rows, int in_node) {
  std::vector<WorkerScaling::Asked> scaled, probes;
  std::vector<Workers> choices;
  for (const ScaledTraining& row : rows) {
    if (row.measured != nullptr) continue;
    scaled.push_back(scaler.asked(row.workers));
    if (row.workers.nodes == 1) choices.push_back(row.workers);
  }
  if (scaled.empty()) return std::nullopt;
  if (in_node > 0 &&
      std::ranges::any_of(rows, [](const auto& row) { return row.workers.nodes > 1; }))
    for (const Workers& more : {Workers{1, double(in_node)}, {2, 1}, {2, double(in_node)}})
      choices.push_back(more);
  std::erase_if(choices, [&](const Workers& w) { return scaler.measured(w) != nullptr; });
  if (choices.empty()) return std::nullopt;
  for (const Workers& choice : choices) probes.push_back(scaler.asked(choice));
  const std::vector<double> spread = scaler.model().spread_after(probes, scaled);
  const auto best = std::min_element(spread.begin(), spread.end() - 1);
  if (*best > kWorthAProbe * spread.back()) return std::nullopt;
  return WorkerProbe{choices[std::size_t(best - spread.begin())], spread.back(), *best};
}

}  // namespace

Workers on_nodes(int count, int in_node) {
  if (in_node == 0 || count <= in_node) return {1, double(count)};
  const double nodes = std::ceil(double(count) / in_node);
  return {nodes, count / nodes};
}

Interval<Seconds> seconds_of(const Interval<double>& log) {
  return {Seconds{std::exp(log.low)}, Seconds{std::exp(log.mid)}, Seconds{std::exp(log.high)}};
}

Interval<Seconds> training_with_laps(const TrainingOnWorkers& base, double laps,
                                     const Interval<double>& log_lap) {
  const Interval<Seconds>& known = base.training;
  const Seconds part = std::max(known.mid - base.fixed, Seconds{1e-9});
  const Seconds mid = part * laps * (std::exp(log_lap.mid) / base.lap.mid.count());
  const auto reach = [&](double of_lap, Seconds of_training) {
    return std::exp(std::hypot(of_lap, std::log(std::max(of_training / part, 1e-9))));
  };
  return {base.fixed +
              mid / reach(log_lap.mid - log_lap.low, std::max(known.low - base.fixed, part * 1e-3)),
          base.fixed + mid,
          base.fixed + mid * reach(log_lap.high - log_lap.mid, known.high - base.fixed)};
}

Interval<double> epochs_at(const EpochsByBatch& known, double batch) {
  const auto above = known.lower_bound(batch);
  if (above == known.begin()) return above->second;
  const auto below = std::prev(above);
  if (above == known.end()) return below->second;
  const double share = std::log(batch / below->first) / std::log(above->first / below->first);
  const Interval<double>&less = below->second, &more = above->second;
  return {std::lerp(less.low, more.low, share), std::lerp(less.mid, more.mid, share),
          std::lerp(less.high, more.high, share)};
}

BatchRule batch_rule_of(std::span<const TrainingOnWorkers> runs) {
  for (const TrainingOnWorkers& a : runs)
    for (const TrainingOnWorkers& b : runs) {
      const double more = std::log2(b.workers.all() / a.workers.all());
      if (more <= 0 || a.batch <= 0 || b.batch <= 0 || a.settings != b.settings) continue;
      return std::log2(b.batch / a.batch) > more / 2 ? BatchRule::per_worker : BatchRule::global;
    }
  return BatchRule::assumed_per_worker;
}

Result<ScaledTrainings> scale_training(std::span<const TrainingOnWorkers> runs,
                                       std::span<const int> workers, int in_node,
                                       const EpochsByBatch& needs) {
  if (runs.empty()) return because("no run has laps");
  const TrainingScaler scaler(runs, needs);
  std::vector<WorkerScaling::Asked> asked{scaler.asked({1, 1})};
  for (const int count : workers) asked.push_back(scaler.asked(on_nodes(count, in_node)));
  const std::vector<Interval<double>> laps = scaler.model().forecast(asked);
  const TrainingOnWorkers* const one = scaler.measured({1, 1});
  const double alone = one != nullptr ? one->lap.mid.count() : std::exp(laps.front().mid);
  ScaledTrainings result{scaler.rule(), {}, {}};
  for (std::size_t i = 0; i < workers.size(); ++i) {
    ScaledTraining row = scaler.scaled(on_nodes(workers[i], in_node), laps[i + 1]);
    const double samples = scaler.rule() == BatchRule::global ? 1 : workers[i];
    row.speed_up = samples * alone / row.lap.mid.count();
    result.rows.push_back(row);
  }
  result.probe = best_probe(scaler, result.rows, in_node);
  return result;
}

std::vector<double> log_ratios_of_training(std::span<const TrainingOnWorkers> runs,
                                           std::span<const int> workers, std::size_t count,
                                           std::uint64_t seed, double link_sd,
                                           const EpochsByBatch& needs) {
  const TrainingOnWorkers& base = runs.front();
  const TrainingScaler scaler(runs, needs);
  std::vector<WorkerScaling::Asked> asked;
  std::vector<double> fewer_laps, spread;
  for (const int number : workers) {
    const Workers those = on_nodes(number, 0);
    asked.push_back(scaler.asked(those));
    const auto epochs = scaler.epochs_needed(base, those);
    const double more = epochs ? epochs->mid / base.epochs : 1;
    fewer_laps.push_back(
        std::log(scaler.laps_for_those_of(base, those) * more / base.lap.mid.count()));
    spread.push_back(epochs ? std::log(epochs->high / epochs->low) / (2 * kZ95) : 0);
  }
  std::vector<double> ratios = scaler.model().draws(asked, count, seed, link_sd);
  SeededNumbers random(seed + 1);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    ratios[i] += fewer_laps[i % workers.size()];
    if (const double sd = spread[i % workers.size()]; sd > 0) ratios[i] += sd * random.normal();
  }
  return ratios;
}

}  // namespace lapcast
