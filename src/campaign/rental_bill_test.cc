#include "campaign/rental_bill.h"

#include <gtest/gtest.h>

#include <vector>

namespace lapcast {
namespace {

constexpr UtcNs kSecond = 1'000'000'000;
constexpr UtcNs kNoon = 1'795'867'200 * kSecond;  // 2026-11-28T12:00:00Z

Run run_at(const char* started_at, double wall_s, std::vector<PreparationStep> preparation) {
  Run run;
  run.context.machine_type.name = "l4";
  run.context.started_at = started_at;
  run.ended_ns = to_ns(Seconds{wall_s});
  run.preparation = std::move(preparation);
  return run;
}

TEST(RentalBill, SaysWhatTheTimeOfALeaseWasUsedFor) {
  Lease lease;
  lease.order.name = "l4";
  lease.order.billing = {60 * kSecond, 0};  // whole minutes
  lease.price = {Money::parse("3.60")};     // 0.001 a second
  lease.state = LeaseState::gone;
  lease.was_listed = true;
  lease.creates = 1;
  lease.asked = kNoon;
  lease.reachable = kNoon + 40 * kSecond;
  lease.ending = kNoon + 90 * kSecond;
  lease.gone = kNoon + 100 * kSecond;
  lease.order.egress = Money::parse("0.09");
  lease.fetched = 2'000'000'000;
  const std::vector<lapcast::Run> runs{
      run_at("2026-11-28T12:00:41Z", 20, {{"send program", Seconds{3}, 1}, {"set-up", Seconds{5}}}),
      run_at("2026-11-28T13:00:00Z", 20, {})};  // on a later lease
  const auto rows = rental_bill({{lease, Seconds{40}}}, runs, kNoon + 1000 * kSecond);
  ASSERT_EQ(rows.size(), 1u);
  const RentalRow& row = rows.front();
  EXPECT_EQ(row.boot, Seconds{40});
  EXPECT_EQ(row.sending, Seconds{3});
  EXPECT_EQ(row.set_up, Seconds{5});
  EXPECT_EQ(row.measuring, Seconds{20});
  EXPECT_EQ(row.give_back, Seconds{10});
  EXPECT_EQ(row.other, Seconds{22});  // 100 - 40 - 3 - 5 - 20 - 10
  EXPECT_EQ(row.fetched, 2'000'000'000);
  EXPECT_EQ(row.egress, Money::parse("0.18"));    // 2 GB
  EXPECT_EQ(row.cost, Money::parse("0.30"));      // 120 s and 2 GB
  EXPECT_EQ(row.rounding, Money::parse("0.02"));  // 20 s
  EXPECT_FALSE(row.is_open);

  lease.order.egress.reset();
  const RentalRow unknown = rental_bill({{lease, Seconds{40}}}, runs, kNoon).front();
  EXPECT_FALSE(unknown.egress);
  EXPECT_EQ(unknown.cost, Money::parse("0.12"));
}

}  // namespace
}  // namespace lapcast
