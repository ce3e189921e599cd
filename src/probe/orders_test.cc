#include "probe/orders.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace lapcast {
namespace {

TEST(Orders, AreReadAsTheyAreWritten) {
  const Round round{12, Seconds{3.5}};
  EXPECT_EQ(order_line(round), "round 12 3.500");
  EXPECT_EQ(std::get<Round>(parse_order(order_line(round))), round);
  const outcome::Enough enough{"out: can no longer be the cheapest"};
  EXPECT_EQ(std::get<order::End>(parse_order(order_line(enough))).why, Outcome{enough});
  const outcome::BudgetSpent spent{"a round of a race"};
  EXPECT_EQ(std::get<order::End>(parse_order(order_line(spent))).why, Outcome{spent});
  EXPECT_FALSE(std::get<order::Stop>(parse_order("stop")).at_once);
  EXPECT_TRUE(std::get<order::Stop>(parse_order("kill")).at_once);
}

TEST(Orders, OtherLinesAreNone) {
  for (const char* line : {"", "stop ", "enough", "round", "round 1", "round -1 2", "round 1 x",
                           "round 1 2 3", "round 1 nan", "round 1 1e99", "dance"})
    EXPECT_TRUE(std::holds_alternative<std::monostate>(parse_order(line))) << line;
}

TEST(Orders, WordsCannotBeLines) {
  EXPECT_EQ(order_line(outcome::Enough{"a\nkill"}), "enough a kill");
}

TEST(OrderReader, TakesWholeLinesAndSeesTheEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  OrderReader reader(ends[0]);
  EXPECT_TRUE(reader.take().empty());
  ASSERT_EQ(write(ends[1], "stop\nrou", 8), 8);
  EXPECT_EQ(reader.take().size(), 1u);
  ASSERT_EQ(write(ends[1], "nd 3 0\nkill\n", 12), 12);
  const std::vector<Order> orders = reader.take();
  ASSERT_EQ(orders.size(), 2u);
  EXPECT_EQ(std::get<Round>(orders[0]).laps, 3);
  EXPECT_FALSE(reader.ended());
  close(ends[1]);
  EXPECT_TRUE(reader.take().empty());
  EXPECT_TRUE(reader.ended());
  EXPECT_EQ(reader.fd(), -1);
  close(ends[0]);
}

}  // namespace
}  // namespace lapcast
