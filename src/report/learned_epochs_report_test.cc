#include "report/learned_epochs_report.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>

namespace lapcast {
namespace {

Ranking ranking_of(std::vector<std::int64_t> trained) {
  Candidate candidate{.settings = "batch=32", .time = Interval<Seconds>{}};
  candidate.epochs = 5;
  candidate.trained_epochs = std::move(trained);
  Ranking ranking;
  Choice choice;
  choice.candidate = std::make_shared<const Candidate>(candidate);
  ranking.chosen = {choice, choice};
  return ranking;
}

// 4, 5, 5, 7 and 6 have the mean 5.4 and the deviation sqrt(5.2 / 4) = 1.14.
TEST(LearnedEpochsTable, HasARowForEachSettings) {
  const auto table = learned_epochs_table(ranking_of({4, 5, 5, 7, 6}));
  ASSERT_TRUE(table);
  std::ostringstream out;
  write({*table}, Format::markdown, {}, out);
  EXPECT_NE(out.str().find("| batch=32 | 5 | 5.4 | 1.1 | 4 | 7 |"), std::string::npos) << out.str();
  EXPECT_EQ(table->rows.size(), 1u);
  EXPECT_FALSE(learned_epochs_table(ranking_of({})));
}

TEST(EpochsCell, HasTheFewestAndTheMost) {
  EXPECT_EQ(std::get<std::string>(epochs_cell(*ranking_of({4, 5, 7}).chosen[0].candidate)),
            "5 (4-7)");
  EXPECT_EQ(std::get<std::int64_t>(epochs_cell(*ranking_of({}).chosen[0].candidate)), 5);
  EXPECT_EQ(epochs_cell(Candidate{.time = because("none")}).index(), 0u);
}

}  // namespace
}  // namespace lapcast
