#pragma once

namespace lapcast {

/// What a forecast assumes where one run cannot tell. Each with its reason in docs/forecast.md.
struct Prior {
  double low = 0, mid = 0, high = 0;
};

struct Priors {
  /// Relative sd of the time per lap between runs of the same program on the same machine. [M]'s 24
  /// CIFAR-10 settings: median 1.6 %, root mean square 2.9 %. Replaced by the store's own once it
  /// has repeats.
  double spread_between_runs = 0.02;
  /// Relative sd of init and warm-up between runs that start alike.
  double start_spread_warm = 0.10;
  double start_spread_unknown = 0.20;
  double start_spread_cold = 0.30;
  /// Time of a validation per sample over time of training per sample: the forward share.
  Prior forward_share{0.20, 0.35, 0.80};
  /// The same on one machine over that on another, for one program and its settings.
  Prior carried_validation{0.48, 1, 2.08};
  /// Time of one epoch boundary, in laps.
  Prior boundary_laps{0, 0.25, 2};
  /// Tear-down as a share of init.
  Prior teardown_of_init{0, 0.05, 0.50};
};

}  // namespace lapcast
