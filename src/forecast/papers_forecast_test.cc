#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "stats/summary.h"
#include "suite/papers/paper_table.h"

// src/papers computes the tables of Malta 2021 again. What these tests say of the formulas needs
// the figures of the tables, too.
namespace lapcast {
namespace {

const Printed kNoTime{.text = "0"};

std::vector<PaperRow> iteration_rows(const std::string& application) {
  std::vector<PaperRow> rows;
  for (const PaperRow& row : paper_rows(malta_estimates_csv()))
    if (row.text("application") == application) rows.push_back(row);
  return rows;
}

std::string name_of(const PaperRow& row) {
  return row.text("table") + "/" + row.text("batch_size");
}

double value(const PaperRow& row, const char* column) {
  return row.number(column).value.mid;
}

/// Returns what an iteration-method estimate may be, given how its inputs were rounded.
Interval<double> possible(const PaperRow& row, double epochs) {
  const double n_it = value(row, "training_samples") / value(row, "batch_size");
  return over_rounding({row.number("init_s"), row.number("first_it_s"), row.number("steady_it_s"),
                        row.number_if("first_validation_s").value_or(kNoTime),
                        row.number_if("later_validation_s").value_or(kNoTime)},
                       [&](auto x) {
                         return iteration_method({x[0], x[1], x[2], x[3], x[4]}, n_it, epochs);
                       });
}

// The tables' own 'iterations' (880 = 80 * 11 and 480 = 40 * 12) give other estimates: 14 epochs
// and the unrounded quotient were used.
TEST(IterationMethod, ElevenAndTwelveEpochsDoNotFit) {
  int rows = 0;
  for (const PaperRow& row : iteration_rows("seismic-fcn")) {
    const std::string& batch = row.text("batch_size");
    if (batch != "512" && batch != "1024") continue;
    ++rows;
    const Interval<double> estimate = possible(row, batch == "512" ? 11 : 12);
    EXPECT_LT(estimate.high, row.number("estimated_s").value.low) << name_of(row);
  }
  EXPECT_EQ(rows, 6);
}

// As printed, equation 5.4 adds the first iteration to a sum that holds it already: one steady
// iteration too many at least. Table 5.5 is precise enough to tell at 2048 samples: it would be
// 242.16 at the least.
TEST(IterationMethod, Equation54AsPrintedDoesNotFitItsTable) {
  int rows = 0;
  for (const PaperRow& row : iteration_rows("seismic-fcn")) {
    if (name_of(row) != "5.5/2048") continue;
    ++rows;
    const double as_printed = possible(row, 16).low + row.number("steady_it_s").value.low;
    EXPECT_GT(as_printed, row.number("estimated_s").value.high);
  }
  EXPECT_EQ(rows, 1);
}

/// Returns a profile that holds what the tables print, for forecast() itself.
LapProfile profile_of_row(const PaperRow& row) {
  LapProfile profile;
  profile.init = Seconds{value(row, "init_s")};
  profile.first_lap = Seconds{value(row, "first_it_s")};
  profile.laps.assign(10, Seconds{value(row, "steady_it_s")});
  profile.laps[0] = profile.first_lap;
  if (const auto first = row.number_if("first_validation_s"))
    profile.validation = ValidationCost{
        .first = Interval<Seconds>::exactly(Seconds{first->value.mid}),
        .later = Interval<Seconds>::exactly(Seconds{value(row, "later_validation_s")}),
        .samples = 212};
  return profile;
}

TEST(IterationMethod, ForecastComputesTheSameAsTheFormula) {
  for (const PaperRow& row : iteration_rows("seismic-fcn")) {
    TrainingPlan plan;
    plan.epochs = std::stoll(row.text("epochs"));
    plan.training_samples = 40512;
    plan.batch_size = value(row, "batch_size");
    plan.validation_samples = 212;
    const Method method =
        row.text("validation") == "yes" ? Method::iteration_with_validation : Method::iteration;
    const auto result = forecast(profile_of_row(row), plan, method);
    ASSERT_TRUE(result);
    EXPECT_NEAR(result->total.mid.count(), possible(row, static_cast<double>(plan.epochs)).mid,
                1e-6);
  }
}

// Malta 2021 has 24 means of three runs each of CIFAR-10. Half of them spread less than the prior,
// and the prior is no more than their root mean square.
TEST(Priors, SpreadBetweenRunsIsThatOfTheCifarRuns) {
  std::vector<double> spreads;
  double squares = 0;
  for (const PaperRow& row : paper_rows(malta_runs_csv())) {
    if (row.text("application") != "cifar10-resnet50") continue;
    spreads.push_back(value(row, "sd_s") / value(row, "mean_s"));
    squares += spreads.back() * spreads.back();
  }
  ASSERT_EQ(spreads.size(), 24u);
  EXPECT_NEAR(median(spreads), 0.0156, 0.0001);
  const double root_mean_square = std::sqrt(squares / 24);
  EXPECT_NEAR(root_mean_square, 0.0292, 0.0001);
  EXPECT_GE(kPriors.spread_between_runs, median(spreads));
  EXPECT_LE(kPriors.spread_between_runs, root_mean_square);
}

// A validation sample of table 5.9 costs the estimate with validation less that without, over
// epochs and 10,000 samples. As a share of a training sample that is between 0.5 and 0.8 on 16
// GPUs.
TEST(Priors, ForwardShareHoldsThatOfTable59) {
  std::map<std::string, double> with, without, share;
  for (const PaperRow& row : iteration_rows("mnist-simple-cnn")) {
    (row.text("validation") == "yes" ? with : without)[row.text("batch_size")] =
        value(row, "estimated_s");
    share[row.text("batch_size")] =
        value(row, "steady_it_s") / value(row, "batch_size") * 10000 * value(row, "epochs");
  }
  ASSERT_EQ(share.size(), 4u);
  for (auto& [batch, training] : share) {
    const double forward_share = (with[batch] - without[batch]) / training;
    EXPECT_GT(forward_share, 0.55) << batch;
    EXPECT_LT(forward_share, kPriors.forward_share.high) << batch;
  }
}

}  // namespace
}  // namespace lapcast
