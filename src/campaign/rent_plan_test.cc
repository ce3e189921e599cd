#include "campaign/rent_plan.h"

#include <gmock/gmock.h>

#include "fleet/fleet_file.h"

namespace lapcast {
namespace {

using testing::HasSubstr;

Fleet fleet_of(const std::string& lines) {
  return parse_fleet("[rent]\nmax_time = \"20m\"\n" + lines, "rent.toml", "2026-11-20");
}

constexpr const char* kRent = "[machine.rent]\nby = \"x\"\ntype = \"t\"\n";

TEST(RentPlan, CostsEachMachineUntilItsDeadline) {
  const RentPlan plan =
      rent_plan_of(fleet_of(std::string("[[machine]]\nname = \"a\"\nprice = \"3\"\n") + kRent +
                            "[[machine]]\nname = \"here\"\n[[machine]]\nname = \"b\"\n" +
                            "[machine.rent]\nby = \"x\"\ntype = \"u\"\nmax_price = \"0.60\"\n"),
                   {});
  ASSERT_EQ(plan.machines.size(), 2u);
  EXPECT_EQ(plan.at_most(), Money::parse("1.2"));  // (3 + 0.60) / 3
  try {
    refuse_without_budget(plan, {}, "rent.toml", "--search-budget");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(),
                HasSubstr("rent.toml rents 2 machines for at most 20 min 00 s each, $1.20 "
                          "if all run to their deadline; add --search-budget "
                          "1.20USD"));
  }
  refuse_without_budget(plan, Money::parse("1"), "rent.toml", "--search-budget");
}

TEST(RentPlan, TakesPriceAndHardwareFromTheOffer) {
  Offer offer;
  offer.name = "gcp/g2/on-demand";
  offer.machine_type = "g2";
  offer.accelerator = "L4";
  offer.vcpus = 4;
  offer.memory_bytes = std::int64_t{16} << 30;
  offer.price = {Money::parse("0.70")};
  offer.billing = {60'000'000'000, 0};
  const RentPlan plan = rent_plan_of(
      fleet_of(std::string("[[machine]]\nname = \"a\"\noffer = \"g2\"\n") + kRent), {&offer, 1});
  const MachineToRent& wanted = plan.machines.at(0);
  EXPECT_EQ(wanted.order.lease.price, offer.price);
  EXPECT_EQ(wanted.order.lease.most, offer.price);  // without max_price
  EXPECT_EQ(wanted.order.lease.billing, offer.billing);
  EXPECT_EQ(wanted.hardware,
            (OrderedHardware{.gpu = "L4", .gpus = 1, .vcpus = 4, .memory_bytes = 16LL << 30}));
}

TEST(RentPlan, CountsEgressAtThePriceOfTheFileElseOfTheOffer) {
  Offer offer;
  offer.name = offer.machine_type = "g2";
  offer.price = {Money::parse("3")};
  offer.other.egress_per_gb = Money::parse("0.12");
  const std::string machine = std::string("[[machine]]\nname = \"a\"\noffer = \"g2\"\n") + kRent;
  EXPECT_EQ(rent_plan_of(fleet_of(machine), {&offer, 1}).machines.at(0).order.lease.egress,
            Money::parse("0.12"));
  const RentPlan plan =
      rent_plan_of(fleet_of(machine + "egress_usd_per_gb = \"2\"\n"), {&offer, 1});
  EXPECT_EQ(plan.machines.at(0).order.lease.egress, Money::parse("2"));
  EXPECT_EQ(plan.at_most(), Money::parse("1.2"));  // 3 / 3 and 0.1 GB
  try {
    refuse_without_budget(plan, {}, "rent.toml", "--search-budget");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("$1.20 if all run to their deadline, $0.20 of it for the "
                                        "egress of 0.1 GB each; add --search-budget 1.20USD"));
  }
}

TEST(RentPlan, OrdersWhatTheFileAsksForBesidesTheOffer) {
  const RentPlan plan =
      rent_plan_of(fleet_of(std::string("[[machine]]\nname = \"a\"\nprice = \"1\"\n") + kRent +
                            "cuda = \"12.8\"\nfree_disk = \"50GB\"\n"),
                   {});
  EXPECT_EQ(plan.machines.at(0).hardware,
            (OrderedHardware{.cuda = "12.8", .free_disk_bytes = 50'000'000'000}));
}

TEST(RentPlan, RefusesAMachineWithoutAnyPrice) {
  EXPECT_THROW(rent_plan_of(fleet_of(std::string("[[machine]]\nname = \"a\"\n") + kRent), {}),
               Error);
}

}  // namespace
}  // namespace lapcast
