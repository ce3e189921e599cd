#include "report/rental_report.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using testing::ElementsAre;

RentalRow row_of(const char* cost, bool is_open) {
  RentalRow row;
  row.cost = Money::parse(cost);
  row.is_open = is_open;
  return row;
}

TEST(RentalTable, SumsTheBillAndSaysWhatMayStillCost) {
  EXPECT_THAT(rental_table({row_of("0.25", false), row_of("1", false)}).notes,
              ElementsAre("the search cost $1.25 on rented machines"));
  EXPECT_THAT(rental_table({row_of("0.25", true), row_of("1", false)}).notes,
              ElementsAre("the search cost $1.25 on rented machines so far; 1 of them may still "
                          "cost money: lapcast leases"));
}

TEST(RentalTable, SaysWhichBytesItDoesNotCount) {
  RentalRow known = row_of("0.25", false), unknown = row_of("1", false);
  known.fetched = 5 << 20;
  known.egress = Money::parse("0.01");
  unknown.fetched = 3 << 20;
  EXPECT_THAT(rental_table({known, unknown}).notes,
              ElementsAre("the search cost $1.25 on rented machines",
                          "egress is not counted: 3.0 MiB were fetched, and its price is not known "
                          "(egress_usd_per_gb)"));
}

}  // namespace
}  // namespace lapcast
