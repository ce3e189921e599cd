#pragma once

#include <span>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

/// Says how a transformer is spread over accelerators, and what one lap of it is.
struct Layout {
  double tensor = 1, pipeline = 1, data = 1;  // parallel ways; their product counts accelerators
  double micro_batch = 1;                     // samples that one way computes at once
  double micro_batches = 1;                   // of each data parallel way in a lap
  double layers = 1;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Returns the 95 % intervals and medians of the logarithms of the laps in other layouts of the
/// same network, from the logarithms of the seconds of measured laps. With s = micro batches +
/// pipeline - 1, a lap has s (layers / pipeline) times the computation and the exchange of a layer,
/// the exchange of gradients between the data parallel ways, and that between the pipeline's
/// stages. It is a least-squares fit with priors; docs/workers.md has formula and priors. At least
/// one lap must be given.
std::vector<Interval<double>> forecast_layouts(std::span<const Layout> measured,
                                               std::span<const double> log_seconds,
                                               std::span<const Layout> asked);

}  // namespace lapcast
