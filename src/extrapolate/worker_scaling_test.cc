#include "extrapolate/worker_scaling.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

/// Returns the lap that is forecast, in seconds.
Interval<double> lap(const WorkerScaling& model, const Workers& workers, std::size_t work = 0) {
  const WorkerScaling::Asked asked[] = {{work, workers}};
  const Interval<double> log = model.forecast(asked).front();
  return {std::exp(log.low), std::exp(log.mid), std::exp(log.high)};
}

/// Returns priors that leave nothing open: g = 2, and the exchange of two workers takes a half of
/// the lap of one in a node, the whole lap across nodes.
WorkerScalingPrior exact() {
  WorkerScalingPrior prior;
  prior.sync_in_node = {std::log(0.5), 1e-6};
  prior.sync_across = {0, 1e-6};
  prior.overlap = {0, 1e-6};
  prior.growth_in_node = {1, 1e-6};
  prior.growth_across = {0, 1e-6};
  prior.several = prior.crowding = prior.stragglers = {0, 1e-6};
  prior.fixed_share = {0, 1e-6};
  prior.lap_noise = prior.forecast_noise = 1e-6;
  return prior;
}

TEST(WorkerScalingTest, ComputationAndExchangeRunBesideEachOther) {
  WorkerScaling model(exact());
  model.add_lap(0, {1, 1}, std::log(2.0));
  // In a node the exchange doubles from 2 to 4 workers: sqrt(2^2 + (2 x 0.5 x 2)^2).
  EXPECT_NEAR(lap(model, {1, 2}).mid, std::sqrt(5.0), 1e-3);
  EXPECT_NEAR(lap(model, {1, 4}).mid, std::sqrt(8.0), 1e-3);
  // Across nodes it grows by 1 - 2/n and 3 % a doubling: 2 x (1 + 0.5 + 0.03) at 4 workers.
  EXPECT_NEAR(lap(model, {2, 1}).mid, std::sqrt(8.0), 1e-3);
  EXPECT_NEAR(lap(model, {4, 1}).mid, std::hypot(2, 2 * 1.53), 1e-3);
  EXPECT_NEAR(lap(model, {2, 2}).mid, std::hypot(2, 2 * 1.53), 1e-3);
}

TEST(WorkerScalingTest, WorkersThatShareABatchComputeLess) {
  WorkerScaling model(exact());
  model.add_lap(0, {1, 1}, std::log(2.0));
  // Half of the lap does not depend on the batch: 2 x (0.5 + 0.5 / 4).
  EXPECT_NEAR(lap(model, {1, 4, 0.25}).mid, std::hypot(1.25, 2), 1e-3);
}

TEST(WorkerScalingTest, LapsOfTwoWorkersTellTheExchangeOfMore) {
  WorkerScaling free, costly;
  free.add_lap(0, {1, 1}, std::log(1.0));
  free.add_lap(0, {1, 2}, std::log(1.0));
  costly.add_lap(0, {1, 1}, std::log(1.0));
  costly.add_lap(0, {1, 2}, std::log(1.5));
  EXPECT_NEAR(lap(free, {1, 8}).mid, 1.03, 0.05);
  EXPECT_GT(lap(costly, {1, 4}).mid, 1.7);
  EXPECT_GT(lap(costly, {1, 8}).low, 1.4);
}

TEST(WorkerScalingTest, TheFullNodeTellsMoreThanTwoWorkers) {
  WorkerScaling two, full;
  for (WorkerScaling* model : {&two, &full}) model->add_lap(0, {1, 1}, std::log(1.0));
  two.add_lap(0, {1, 2}, std::log(1.2));
  full.add_lap(0, {1, 8}, std::log(1.6));
  const Interval<double> from_two = lap(two, {1, 8}), from_full = lap(full, {1, 8});
  EXPECT_GT(from_two.high / from_two.low, 1.25 * from_full.high / from_full.low);
}

TEST(WorkerScalingTest, BatchSizesShareTheExchange) {
  WorkerScaling model;
  model.add_lap(0, {1, 1}, std::log(0.2));
  model.add_lap(0, {1, 2}, std::log(0.5));
  model.add_lap(0, {1, 4}, std::log(0.8));
  model.add_lap(1, {1, 1}, std::log(4.0));            // measured on one worker alone
  EXPECT_NEAR(lap(model, {1, 4}, 1).mid, 4.2, 0.25);  // the exchange hides behind computation
}

TEST(WorkerScalingTest, TheSameLapsGiveTheSameForecast) {
  WorkerScaling model;
  model.add_lap(0, {1, 1}, std::log(1.0));
  EXPECT_EQ(lap(model, {4, 8}), lap(model, {4, 8}));
}

}  // namespace
}  // namespace lapcast
