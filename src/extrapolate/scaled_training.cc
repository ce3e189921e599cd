#include "extrapolate/scaled_training.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "stats/distributions.h"

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

/// Fits the laps of all runs, and answers for the batch of the first one.
class TrainingScaler {
 public:
  TrainingScaler(std::span<const TrainingOnWorkers> runs, const EpochsByBatch& stated)
      : runs_(runs), stated_(stated), rule_(batch_rule_of(runs)) {
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
    if (row.measured != nullptr) {
      row.lap = row.measured->lap;
      row.training = row.measured->training;
      return row;
    }
    row.lap = seconds_of(log_lap);
    const TrainingOnWorkers& base = nearest(workers);
    double laps = laps_for_those_of(base, workers);
    if (!stated_.empty() && base.epochs > 0)
      laps *= epochs_at(stated_, keeps_laps(base) ? base.batch : base.batch / laps) / base.epochs;
    row.training = training_with_laps(base, laps, log_lap);
    return row;
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
  const EpochsByBatch& stated_;
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

double epochs_at(const EpochsByBatch& stated, double batch) {
  const auto above = stated.lower_bound(batch);
  if (above == stated.begin()) return above->second;
  const auto below = std::prev(above);
  if (above == stated.end()) return below->second;
  const double share = std::log(batch / below->first) / std::log(above->first / below->first);
  return below->second + share * (above->second - below->second);
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
                                       const EpochsByBatch& stated) {
  if (runs.empty()) return because("no run has laps");
  const TrainingScaler scaler(runs, stated);
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
                                           std::uint64_t seed, double link_sd) {
  const TrainingOnWorkers& base = runs.front();
  const EpochsByBatch as_many_epochs;
  const TrainingScaler scaler(runs, as_many_epochs);
  std::vector<WorkerScaling::Asked> asked;
  std::vector<double> fewer_laps;
  for (const int number : workers) {
    const Workers those = on_nodes(number, 0);
    asked.push_back(scaler.asked(those));
    fewer_laps.push_back(std::log(scaler.laps_for_those_of(base, those) / base.lap.mid.count()));
  }
  std::vector<double> ratios = scaler.model().draws(asked, count, seed, link_sd);
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] += fewer_laps[i % workers.size()];
  return ratios;
}

}  // namespace lapcast
