#pragma once

namespace lapcast {

/// An assumed 95 % interval.
struct Prior {
  double low = 0, mid = 0, high = 0;
};

/// Holds what a forecast assumes where one run cannot tell. docs/forecast.md gives the reason of
/// each figure; the first three were compared with Malta's runs (papers_methods_test.cc), and
/// `./bench forecast-accuracy` shows what a change does to forecasts of public runs.
struct Priors {
  /// Relative standard deviation of the time per lap between runs of the same program on the same
  /// machine. Malta's 24 CIFAR-10 settings: median 1.6 %, root mean square 2.9 %. A track record
  /// replaces it.
  double spread_between_runs = 0.02;
  /// Relative standard deviation of init and warm-up between runs that start alike.
  double start_spread_warm = 0.10;
  double start_spread_unknown = 0.20;
  double start_spread_cold = 0.30;
  /// Time of a validated sample over the time of a trained one: the share of the forward pass.
  Prior forward_share{0.20, 0.35, 0.80};
  /// That ratio on one machine over the same ratio on another, for one program and its settings.
  Prior carried_validation{0.48, 1, 2.08};
  /// Time of an epoch boundary, in laps.
  Prior boundary_laps{0, 0.25, 2};
  /// Tear-down as a share of init.
  Prior teardown_of_init{0, 0.05, 0.50};
};

}  // namespace lapcast
