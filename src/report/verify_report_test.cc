#include "report/verify_report.h"
#include "forecast/forecast.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Interval<Seconds> time_of(double low, double mid, double high) {
  return {Seconds{low}, Seconds{mid}, Seconds{high}};
}
Interval<Money> cost_around(const char* mid) {
  return Interval<Money>::exactly(Money::parse(mid));
}
RealRun real_run(const std::string& id, double seconds, const char* cost) {
  return {id, "2026-11-20T12:00:00Z", Seconds{seconds}, Money::parse(cost)};
}

/// Returns two candidates with three real runs each. The means of the times are 100 and 110 s, the
/// medians 100 and 105 s; the means of the costs are 1.00 and 2.20 USD.
std::vector<VerifiedForecast> two_candidates() {
  return {{.machine_type = "a",
           .settings = "",
           .epochs = 2,
           .forecast = time_of(90, 100, 110),
           .forecast_cost = cost_around("1"),
           .real_runs = {real_run("a1", 80, "0.8"), real_run("a2", 100, "1"),
                         real_run("a3", 120, "1.2")}},
          {.machine_type = "b",
           .settings = "",
           .epochs = 2,
           .forecast = time_of(80, 90, 100),
           .forecast_cost = cost_around("1.8"),
           .real_runs = {real_run("b1", 95, "1.9"), real_run("b2", 105, "2.1"),
                         real_run("b3", 130, "2.6")}}};
}

/// Returns the cells of a column, from the first row to the last.
std::vector<Cell> column_of(const Table& table, const std::string& key) {
  const auto found = std::ranges::find(table.columns, key, &Column::key);
  if (found == table.columns.end()) throw std::logic_error("no column " + key);
  std::vector<Cell> cells;
  for (const std::vector<Cell>& row : table.rows)
    cells.push_back(row[static_cast<std::size_t>(found - table.columns.begin())]);
  return cells;
}

TEST(VerifyTables, ARowHasTheMeansOfTheRealRuns) {
  std::vector<VerifiedForecast> rows = two_candidates();
  rows[0].real_runs[0].accuracy = 0.5;
  rows[0].real_runs[2].accuracy = 1;
  const Table table = verify_tables(rows, {}).front();
  EXPECT_EQ(table.title, "Forecast against real");
  EXPECT_EQ(std::get<std::int64_t>(column_of(table, "runs")[0]), 3);
  EXPECT_DOUBLE_EQ(std::get<Seconds>(column_of(table, "real_s")[0]).count(), 100);
  EXPECT_DOUBLE_EQ(std::get<Seconds>(column_of(table, "real_s")[1]).count(), 110);
  EXPECT_EQ(std::get<Money>(column_of(table, "real_cost_usd")[1]), Money::parse("2.2"));
  EXPECT_DOUBLE_EQ(std::get<Percentage>(column_of(table, "error")[0]).value, 0);
  EXPECT_DOUBLE_EQ(std::get<Percentage>(column_of(table, "accuracy")[0]).value, 0.75);
  EXPECT_TRUE(std::get<bool>(column_of(table, "inside")[0]));   // 100 of 90 to 110
  EXPECT_FALSE(std::get<bool>(column_of(table, "inside")[1]));  // 110 of 80 to 100
}

TEST(VerifyTables, EachRealRunIsARow) {
  const std::vector<Table> tables = verify_tables(two_candidates(), {});
  EXPECT_EQ(tables[1].title, "Real runs");
  EXPECT_FALSE(tables[1].only_json);
  std::vector<std::string> machines, runs;
  std::vector<double> times, errors;
  std::vector<bool> inside;
  for (const Cell& cell : column_of(tables[1], "machine_type"))
    machines.push_back(std::get<std::string>(cell));
  for (const Cell& cell : column_of(tables[1], "run")) runs.push_back(std::get<std::string>(cell));
  for (const Cell& cell : column_of(tables[1], "real_s"))
    times.push_back(std::get<Seconds>(cell).count());
  for (const Cell& cell : column_of(tables[1], "error"))
    errors.push_back(std::get<Percentage>(cell).value);
  for (const Cell& cell : column_of(tables[1], "inside")) inside.push_back(std::get<bool>(cell));
  EXPECT_THAT(machines, ElementsAre("a", "a", "a", "b", "b", "b"));
  EXPECT_THAT(runs, ElementsAre("a1", "a2", "a3", "b1", "b2", "b3"));
  EXPECT_THAT(times, ElementsAre(80, 100, 120, 95, 105, 130));
  EXPECT_DOUBLE_EQ(errors[0], 0.25);       // 100 / 80 - 1
  EXPECT_DOUBLE_EQ(errors[2], -1.0 / 6);   // 100 / 120 - 1
  EXPECT_DOUBLE_EQ(errors[5], -4.0 / 13);  // 90 / 130 - 1
  EXPECT_THAT(inside, ElementsAre(false, true, false, true, false, false));
  EXPECT_EQ(std::get<Money>(column_of(tables[1], "real_cost_usd")[3]), Money::parse("1.9"));
  EXPECT_EQ(std::get<std::string>(column_of(tables[1], "started_at")[0]), "2026-11-20T12:00:00Z");
}

// The errors are 25, 0, -17 % and -5.3, -14, -31 %: the median of their sizes is that of 14.3 and
// 16.7 %. The second candidate has the fastest forecast; by the medians it would lose 5 %.
TEST(VerifyTables, SingleRunsGiveTheCoverageAndMeansTheRegret) {
  const Table table = verify_tables(two_candidates(), {2, Money::parse("0.01")}).front();
  EXPECT_THAT(table.after,
              ElementsAre("median absolute error 15 %; 2 of 6 real runs inside their 95 % interval",
                          "regret by cost of a: 0 %; the best was a (means of 3 real runs each)",
                          "regret by time of b: 10 %; the best was a (means of 3 real runs each)"));
  EXPECT_THAT(table.answer,
              ElementsAre("2 probes for $0.01 picked a as the cheapest, $1.00 a training; the "
                          "forecasts were off by 15 % (median of 6 real runs)"));
}

TEST(VerifyTables, TheRegretSaysOfHowManyRunsItIs) {
  std::vector<VerifiedForecast> rows = two_candidates();
  rows[0].real_runs = {real_run("a1", 82, "0.82")};  // 28 of 82 s less than the mean of b
  EXPECT_EQ(verify_tables(rows, {}).front().after[2],
            "regret by time of b: 34 %; the best was a (means of 1 to 3 real runs each)");
  rows[1].real_runs.resize(1);  // 95 s, 13 more
  EXPECT_EQ(verify_tables(rows, {}).front().after[2],
            "regret by time of b: 16 %; the best was a (1 real run each)");
}

TEST(VerifyTables, WithoutARealRunThereIsNoSecondTable) {
  std::vector<VerifiedForecast> rows = two_candidates();
  rows[1].real_runs.clear();
  const std::vector<Table> one_was_run = verify_tables(rows, {});
  EXPECT_EQ(one_was_run[1].rows.size(), 3U);
  EXPECT_EQ(std::get<std::int64_t>(column_of(one_was_run[0], "runs")[1]), 0);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(column_of(one_was_run[0], "real_s")[1]));
  EXPECT_EQ(one_was_run[0].after[1],
            "regret by cost of a: at least 0 %; the best was a (means of 3 real runs each)");
  EXPECT_THAT(one_was_run[0].after[3], StartsWith("not every candidate was run"));
  rows[0].real_runs.clear();
  const std::vector<Table> none_was_run = verify_tables(rows, {});
  EXPECT_TRUE(none_was_run[1].only_json);
  EXPECT_THAT(none_was_run[0].after[0], EndsWith("the picked candidate was not run to its end"));
}

TEST(VerifyTables, ATieIsPickedAsARankingDoesAndSaid) {
  std::vector<VerifiedForecast> rows = two_candidates();  // a takes 100 s, b 90 s by forecast
  for (VerifiedForecast& row : rows) {
    row.forecast_cost = cost_around("1");
    for (RealRun& run : row.real_runs) run.cost = Money::parse("2");
  }
  const Table table = verify_tables(rows, {}).front();
  EXPECT_THAT(table.answer.front(),
              HasSubstr("picked b as the cheapest, $2.00 a training; as cheap "
                        "by forecast: a"));
  EXPECT_EQ(table.after[1],
            "regret by cost of b: 0 %; the best was b, a (means of 3 real runs each)");
  std::ranges::reverse(rows);
  EXPECT_EQ(verify_tables(rows, {}).front().answer, table.answer);
}

TEST(VerifyTables, OfOneMachineNameNoLowestPrice) {
  std::vector<VerifiedForecast> rows = two_candidates();
  for (VerifiedForecast& row : rows) row.price_per_hour = Money::parse("2");
  const auto answer = [&] { return verify_tables(rows, {}).front().answer.front(); };
  EXPECT_THAT(answer(), Not(HasSubstr("lowest price")));
  rows[1].price_per_hour = Money::parse("1");
  // 1.00 against 2.20 USD.
  EXPECT_THAT(answer(), HasSubstr("that is 55 % less than on b, which has the lowest price"));
  for (RealRun& run : rows[1].real_runs) run.cost = Money::parse("0.8");
  EXPECT_THAT(answer(), HasSubstr("that is 25 % more than on b"));
}

TEST(VerifyTables, WithoutCostsTheAnswerIsTheFastest) {
  std::vector<VerifiedForecast> rows = two_candidates();
  for (VerifiedForecast& row : rows)
    for (RealRun& run : row.real_runs) run.cost.reset();
  EXPECT_THAT(verify_tables(rows, {}).front().answer,
              ElementsAre("b was picked as the fastest, 1 min 50 s a training; the forecasts were "
                          "off by 15 % (median of 6 real runs)"));
  for (VerifiedForecast& row : rows) row.real_runs.clear();
  EXPECT_THAT(verify_tables(rows, {}).front().answer,
              ElementsAre("no candidate has been run to its end"));
}

TEST(VerifyTables, WithoutTheCostOfEachRunThereIsNoMeanCost) {
  std::vector<VerifiedForecast> rows = two_candidates();
  rows[0].real_runs[1].cost.reset();
  const Table table = verify_tables(rows, {}).front();
  EXPECT_TRUE(std::holds_alternative<std::monostate>(column_of(table, "real_cost_usd")[0]));
}

}  // namespace
}  // namespace lapcast
