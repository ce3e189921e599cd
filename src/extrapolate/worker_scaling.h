#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/seconds.h"
#include "extrapolate/gaussian.h"

namespace lapcast {

/// Says on how many workers (processes that each compute a part of every lap and then exchange
/// gradients) a program runs.
struct Workers {
  double nodes = 1;
  double in_node = 1;  // on each node; the mean where nodes differ
  double share = 1;    // of the samples that one worker has on its own in a lap: 1 where the batch
                       // is per worker, 1 / all() where the workers share one global batch

  double all() const { return nodes * in_node; }
  friend bool operator==(const Workers&, const Workers&) = default;
};

/// Holds the priors of WorkerScaling: means and standard deviations. Logarithms are natural, a
/// synchronisation is a share of the lap of one worker. docs/workers.md says where the values come
/// from.
struct WorkerScalingPrior {
  NormalPart sync_in_node{-4, 1.5};     // ln of the synchronisation of two workers of a node
  NormalPart sync_across{-2, 1.5};      // the same, of workers on several nodes
  NormalPart overlap{-1, 0.8};          // ln(g - 1) of the soft maximum
  NormalPart growth_in_node{0.6, 0.3};  // of the synchronisation, for each doubling
  NormalPart growth_across{-0.36, 0.5};
  NormalPart several{0, 0.04};         // what more than one worker costs in any case
  NormalPart crowding{0.006, 0.015};   // of the computation, for each doubling in a node
  NormalPart stragglers{0.004, 0.01};  // for each doubling of all workers
  NormalPart fixed_share{-2, 1.5};     // logit of the part of a lap that a smaller batch keeps
  double lap_noise = 0.05;             // of measured laps, with how runs differ
  double forecast_noise = 0.08;        // of the laps that are forecast
};

/// Forecasts the lap of a data parallel program on a number of workers that was not measured, from
/// its laps on others. With m workers on each of k nodes, n = k m > 1:
///   ln lap = d + e log2 n + (1/g) ln((t m^c)^g + (s H)^g),
/// t being the lap of one worker, s the synchronisation of two workers, and H its growth:
/// 1 + a log2(n/2) in a node, 1 + b (1 - 2/n) + 0.03 log2(n/2) across nodes. All batch sizes share
/// everything but t. It is a least-squares fit with priors.
class WorkerScaling {
 public:
  explicit WorkerScaling(const WorkerScalingPrior& prior = {}) : prior_(prior) {}

  /// Learns a lap of one kind of work: laps with the same batch of one worker. Kinds are numbered
  /// from 0 without gaps. `noise` is its standard deviation; without one it is that of the prior.
  void add_lap(std::size_t work, const Workers& workers, double log_seconds,
               std::optional<double> noise = {});

  /// Names a lap that is asked for; its work must have been added.
  struct Asked {
    std::size_t work = 0;
    Workers workers;
  };

  /// Returns `count` draws of the logarithms of the laps asked for, row by row. The same seed gives
  /// the same draws. `link_sd` is the standard deviation of ln(a synchronisation where a lap is
  /// asked for / one where laps were measured), for each lap by itself; 0 = they are one machine.
  std::vector<double> draws(std::span<const Asked> asked, std::size_t count, std::uint64_t seed,
                            double link_sd = 0) const;

  /// Returns the 95 % intervals of the logarithms of the laps asked for, with their medians.
  std::vector<Interval<double>> forecast(std::span<const Asked> asked) const;

  /// Returns the mean standard deviation that the logarithms of the laps asked for are expected to
  /// have once the lap of each probe is measured, too; the last one without any probe.
  std::vector<double> spread_after(std::span<const Asked> probes,
                                   std::span<const Asked> asked) const;

 private:
  Gaussian fit() const;

  WorkerScalingPrior prior_;
  std::vector<Asked> laps_;
  std::vector<double> log_seconds_, noise_;
  std::vector<double> shortest_;  // of each kind of work, in ln s
};

/// Returns the 95 % intervals and medians of the columns of draws, row by row.
std::vector<Interval<double>> intervals_of_draws(const std::vector<double>& drawn,
                                                 std::size_t columns);

}  // namespace lapcast
