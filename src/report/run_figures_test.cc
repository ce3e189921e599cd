#include "report/run_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace lapcast {
namespace {

LapLog log_with(const std::string& metric, std::vector<double> values) {
  LapLog log;
  for (const double value : values) log.metrics.push_back({.name = metric, .value = value});
  return log;
}

const Figure* figure_of(const Table& table, const std::string& key) {
  const auto found = std::ranges::find(table.figures, key, &Figure::key);
  return found == table.figures.end() ? nullptr : &*found;
}

LapProfile profile_of_laps(double seconds) {
  LapProfile profile;
  profile.steady.mean = {Seconds{seconds}, Seconds{seconds}, Seconds{seconds}};
  return profile;
}

TEST(ProfileFigures, HaveTheLastMeanOfExchangesAsAShareOfALap) {
  const Table table =
      profile_figures(profile_of_laps(0.5), log_with("exchange_seconds", {9, 0.04}));
  const Figure* exchange = figure_of(table, "exchange_s");
  ASSERT_NE(exchange, nullptr);
  EXPECT_EQ(std::get<Seconds>(exchange->value), Seconds{0.04});
  EXPECT_EQ(exchange->how, "8.0 % of a lap, as the program reported");
  EXPECT_EQ(figure_of(table, "staleness"), nullptr);
}

TEST(ProfileFigures, HaveTheStalenessOfGradients) {
  const Table table = profile_figures(profile_of_laps(0.5), log_with("staleness", {0, 1.25}));
  ASSERT_NE(figure_of(table, "staleness"), nullptr);
  EXPECT_EQ(std::get<Number>(figure_of(table, "staleness")->value).value, 1.25);
}

TEST(ProfileFigures, LeaveOutWhatIsNoTime) {
  for (const double value : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const Table table =
        profile_figures(profile_of_laps(0.5), log_with("exchange_seconds", {value}));
    EXPECT_EQ(figure_of(table, "exchange_s"), nullptr);
  }
}

}  // namespace
}  // namespace lapcast
