#include "forecast/forecast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "forecast/lap_profile.h"
#include "forecast/papers_csv_test.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

// The validations of the seismic set are those of the text of Malta 2021, 5.2: the first, the later
// ones.
std::pair<std::string, std::string> seismic_validation(const PapersRow& row) {
  const bool small = row.at("batch_size") == "256" || row.at("batch_size") == "512";
  return {small ? "0.17" : "0.18", "0.2"};
}

bool overlap(const Interval<double>& a, const Interval<double>& b) {
  return a.low <= b.high && b.low <= a.high;
}

double number(const PapersRow& row, const std::string& column) {
  return std::stod(row.at(column));
}

/// Returns what an iteration-method estimate may be, given how its inputs were rounded.
Interval<double> possible(const PapersRow& row, double samples, double epochs) {
  const auto init = before_rounding(row.at("init_s"));
  const auto first = before_rounding(row.at("first_it_s"));
  const auto steady = before_rounding(row.at("steady_it_s"));
  Interval<double> first_validation, later_validation;
  if (row.at("variant") == "with_validation" && row.at("application") == "seismic-fcn") {
    const auto [first_text, later_text] = seismic_validation(row);
    first_validation = before_rounding(first_text);
    later_validation = before_rounding(later_text);
  }
  const double n_it = samples / number(row, "batch_size");
  const auto at = [&](auto end) {
    return iteration_method(
        {init.*end, first.*end, steady.*end, first_validation.*end, later_validation.*end}, n_it,
        epochs);
  };
  using I = Interval<double>;
  return {at(&I::low), at(&I::mid), at(&I::high)};
}

bool fits(const PapersRow& row, double samples, double epochs) {
  return overlap(possible(row, samples, epochs), before_rounding(row.at("estimated_s")));
}

std::string name_of(const PapersRow& row) {
  return row.at("source").substr(std::string("malta2021 table ").size()) + "/" +
         row.at("batch_size") + (row.at("variant") == "with_validation" ? "/val" : "");
}

std::vector<PapersRow> iteration_rows(const std::string& application) {
  std::vector<PapersRow> rows;
  for (const PapersRow& row : papers_table("estimates_iteration_method.csv")) {
    if (row.at("application") == application) rows.push_back(row);
  }
  return rows;
}

TEST(EpochMethod, EveryRowOfTable52) {
  const auto rows = papers_table("estimates_epoch_method.csv");
  ASSERT_EQ(rows.size(), 4u);
  for (const PapersRow& row : rows) {
    const auto init = before_rounding(row.at("init_s"));
    const auto first = before_rounding(row.at("first_epoch_s"));
    const auto later = before_rounding(row.at("average_epoch_s"));
    const double epochs = number(row, "epochs");
    const Interval<double> possible{epoch_method(init.low, first.low, later.low, epochs), 0,
                                    epoch_method(init.high, first.high, later.high, epochs)};
    EXPECT_TRUE(overlap(possible, before_rounding(row.at("estimated_s")))) << row.at("batch_size");
  }
}

// 10 of the 12 rows of tables 5.3 to 5.5 follow from the formula; 5.3 at 256 and 2048 do not.
TEST(IterationMethod, Tables53To55) {
  const auto rows = iteration_rows("seismic-fcn");
  ASSERT_EQ(rows.size(), 12u);
  std::set<std::string> misfits;
  for (const PapersRow& row : rows) {
    if (!fits(row, number(row, "training_samples"), number(row, "epochs"))) {
      misfits.insert(name_of(row));
    }
  }
  EXPECT_EQ(misfits, (std::set<std::string>{"5.3/256/val", "5.3/2048/val"}));
}

// The two miss by little: 170.6 is printed and at least 170.76 is possible; 243.95 and 244.64.
TEST(IterationMethod, TheMisfitsOfTable53) {
  for (const PapersRow& row : iteration_rows("seismic-fcn")) {
    const double gap = possible(row, 40512, number(row, "epochs")).low - number(row, "estimated_s");
    if (name_of(row) == "5.3/256/val") {
      EXPECT_NEAR(gap, 0.16, 0.01);
    }
    if (name_of(row) == "5.3/2048/val") {
      EXPECT_NEAR(gap, 0.69, 0.01);
    }
  }
}

// The tables' own 'iterations' (880 = 80 * 11 and 480 = 40 * 12) give other estimates: 14 epochs
// and the unrounded quotient were used.
TEST(IterationMethod, ElevenAndTwelveEpochsDoNotFit) {
  for (const PapersRow& row : iteration_rows("seismic-fcn")) {
    const std::string& batch = row.at("batch_size");
    if (batch == "512") {
      EXPECT_FALSE(fits(row, 40512, 11)) << name_of(row);
    }
    if (batch == "1024") {
      EXPECT_FALSE(fits(row, 40512, 12)) << name_of(row);
    }
  }
}

// As printed, equation 5.4 adds the first iteration to a sum that holds it already: one steady
// iteration too many at least. Table 5.5 is precise enough to tell at 2048 samples: it would be
// 242.16 at the least.
TEST(IterationMethod, Equation54AsPrintedDoesNotFitItsTable) {
  for (const PapersRow& row : iteration_rows("seismic-fcn")) {
    if (name_of(row) != "5.5/2048") continue;
    const double as_printed =
        possible(row, 40512, 16).low + before_rounding(row.at("steady_it_s")).low;
    EXPECT_GT(as_printed, before_rounding(row.at("estimated_s")).high);
  }
}

// Table 5.9 without validation follows from 60,000 images, not from the text's 50,000, of which
// only the row of 1024 could.
TEST(IterationMethod, Table59NeedsSixtyThousandImages) {
  std::set<std::string> fit_60000, fit_50000;
  for (const PapersRow& row : iteration_rows("mnist-simple-cnn")) {
    if (row.at("variant") == "with_validation") continue;  // T(Val) is not printed
    if (fits(row, 60000, number(row, "epochs"))) fit_60000.insert(name_of(row));
    if (fits(row, 50000, number(row, "epochs"))) fit_50000.insert(name_of(row));
  }
  EXPECT_EQ(fit_60000, (std::set<std::string>{"5.9/256", "5.9/512", "5.9/1024", "5.9/2048"}));
  EXPECT_EQ(fit_50000, (std::set<std::string>{"5.9/1024"}));
}

/// Returns a profile that holds what the tables print, for forecast() itself.
LapProfile profile_of_row(const PapersRow& row) {
  LapProfile profile;
  profile.init = Seconds{number(row, "init_s")};
  profile.first_lap = Seconds{number(row, "first_it_s")};
  profile.laps.assign(10, Seconds{number(row, "steady_it_s")});
  profile.laps[0] = profile.first_lap;
  const auto [first, later] = seismic_validation(row);
  profile.validation =
      ValidationCost{.first = Interval<Seconds>::exactly(Seconds{std::stod(first)}),
                     .later = Interval<Seconds>::exactly(Seconds{std::stod(later)}),
                     .samples = 212};
  return profile;
}

TEST(IterationMethod, ForecastComputesTheSameAsTheFormula) {
  for (const PapersRow& row : iteration_rows("seismic-fcn")) {
    TrainingPlan plan;
    plan.epochs = std::stoll(row.at("epochs"));
    plan.training_samples = 40512;
    plan.batch_size = number(row, "batch_size");
    plan.validation_samples = 212;
    const Method method = row.at("variant") == "with_validation" ? Method::iteration_with_validation
                                                                 : Method::iteration;
    const auto result = forecast(profile_of_row(row), plan, method);
    ASSERT_TRUE(result);
    EXPECT_NEAR(result->total.mid.count(),
                possible(row, 40512, static_cast<double>(plan.epochs)).mid, 1e-6);
  }
}

// Malta 2021 has 24 means of three runs each of CIFAR-10. Half of them spread less than the prior,
// and the prior is no more than their root mean square.
TEST(Priors, SpreadBetweenRunsIsThatOfTheCifarRuns) {
  std::vector<double> spreads;
  double squares = 0;
  for (const PapersRow& row : papers_table("cifar10_resnet50_runs.csv")) {
    spreads.push_back(number(row, "sd_s") / number(row, "mean_s"));
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
  for (const PapersRow& row : iteration_rows("mnist-simple-cnn")) {
    (row.at("variant") == "with_validation" ? with : without)[row.at("batch_size")] =
        number(row, "estimated_s");
    share[row.at("batch_size")] =
        number(row, "steady_it_s") / number(row, "batch_size") * 10000 * number(row, "epochs");
  }
  for (auto& [batch, training] : share) {
    const double forward_share = (with[batch] - without[batch]) / training;
    EXPECT_GT(forward_share, 0.55) << batch;
    EXPECT_LT(forward_share, kPriors.forward_share.high) << batch;
  }
}

}  // namespace
}  // namespace lapcast
