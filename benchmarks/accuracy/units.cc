#include "accuracy/units.h"

#include <algorithm>
#include <optional>

#include "stats/summary.h"

namespace lapcast::accuracy {
namespace {

struct Moment {
  double at = 0;  // seconds since run_start
  std::optional<double> number;
  double count = 0;  // of a block; 0 when not known
};
using Moments = std::vector<Moment>;

Moments moments_of(const LoggedRun& run, MllogKey key) {
  Moments moments;
  for (const MllogEvent& event : run.events) {
    if (event.key != key) continue;
    moments.push_back({static_cast<double>(event.time_ns) / 1e9, event.epoch, event.epoch_count});
  }
  std::stable_sort(moments.begin(), moments.end(),
                   [](const Moment& a, const Moment& b) { return a.at < b.at; });
  return moments;
}

/// Returns the weight of a block by the numbers of the first epochs, when they grow. The logged
/// count is one block too long when the first block is short.
double weight_of_block(const Moment& block, const Moment& next) {
  const double step = block.number && next.number ? *next.number - *block.number : 0;
  if (step > 0) return step;
  return block.count > 0 ? block.count : 1;
}

/// Returns units that last until the next one begins; the first begins at run_start.
Units until_the_next(const Moments& starts, bool blocks) {
  Units units;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    units.end.push_back(starts[i + 1].at);
    units.weight.push_back(blocks ? weight_of_block(starts[i], starts[i + 1]) : 1);
  }
  return units;
}

Units until_their_result(const Moments& results) {
  Units units;
  for (const Moment& result : results) {
    if (result.at <= 0) continue;
    units.end.push_back(result.at);
    units.weight.push_back(1);
  }
  return units;
}

}  // namespace

Units units_of(const LoggedRun& run) {
  if (!run.unit) return {};
  switch (*run.unit) {
    case MllogUnit::epoch:
      return until_the_next(moments_of(run, MllogKey::epoch_start), false);
    case MllogUnit::block:
      return until_the_next(moments_of(run, MllogKey::block_start), true);
    case MllogUnit::between_evaluations:
      return until_their_result(moments_of(run, MllogKey::eval_accuracy));
  }
  return {};
}

double papers_total(const Units& units, double given, std::size_t seen) {
  std::vector<double> paces;
  for (std::size_t i = 1; i < seen; ++i)
    paces.push_back((units.end[i] - units.end[i - 1]) / units.weight[i]);
  return units.end[0] + (given - units.weight[0]) * median(paces);
}

}  // namespace lapcast::accuracy
