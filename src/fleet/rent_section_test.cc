#include "fleet/rent_section.h"

#include <gmock/gmock.h>

#include "fleet/fleet_file.h"
#include "fleet/rent_fleet.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Fleet fleet_with(const std::string& machine, const std::string& top = "") {
  return parse_fleet(top + "[[machine]]\nname = \"l4\"\n" + machine, "rent.toml", "2026-11-20");
}

std::string problem_of(const std::string& machine, const std::string& top = "") {
  try {
    fleet_with(machine, top);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(RentSection, IsReadWithTheDefaultsOfRent) {
  const Fleet fleet = fleet_with(R"(
[machine.rent]
by = "gcloud"
type = "g2-standard-4"
zones = ["europe-west4-a", "us-central1-a"]
spot = true
image = "pytorch"
max_price = "0.40"
cuda = "12.8"
free_disk = "50GB"
egress_usd_per_gb = "0.09"
[machine.rent.options]
disk = "50 GB"
)",
                                 "[rent]\nmax_time = \"10m\"\nat_once = 2\n");
  EXPECT_EQ(fleet.rented_at_once, 2);
  const FleetMachine& machine = fleet.machines.at(0);
  EXPECT_EQ(machine.place_setup.place, Place(RentedPlace{"gcloud", "g2-standard-4", "pytorch"}));
  EXPECT_TRUE(machine.type.exclusive);
  ASSERT_TRUE(machine.rent.has_value());
  const LeaseOrder& order = machine.rent->order;
  EXPECT_EQ(order.name, "l4");
  EXPECT_EQ(order.adapter, "gcloud");
  EXPECT_TRUE(order.spot);
  EXPECT_EQ(order.term, Seconds{600});
  EXPECT_EQ(order.boot_limit, Seconds{360});
  EXPECT_EQ(order.most.per_hour, Money::parse("0.40"));
  EXPECT_EQ(order.egress, Money::parse("0.09"));
  EXPECT_EQ(order.options.at("disk"), "50 GB");
  EXPECT_THAT(machine.rent->zones, ElementsAre("europe-west4-a", "us-central1-a"));
  EXPECT_EQ(machine.rent->cuda, "12.8");
  EXPECT_EQ(machine.rent->free_disk_bytes, 50'000'000'000);
}

TEST(RentSection, RefusesWhatCannotBe) {
  const std::string rent = "[machine.rent]\nby = \"vast\"\ntype = \"RTX_4090\"\n";
  EXPECT_EQ(problem_of(rent), "nothing");
  EXPECT_THAT(problem_of("host = \"box\"\n" + rent),
              HasSubstr("one of host, hosts, [machine.slurm] and [machine.rent]"));
  EXPECT_THAT(problem_of("[machine.rent]\nby = \"../vast\"\ntype = \"a\"\n"),
              HasSubstr("the name of an adapter"));
  EXPECT_THAT(problem_of(rent + "max_price = 0\n"), HasSubstr("no machine would be rented"));
  EXPECT_THAT(problem_of(rent + "cuda = \"new\"\n"), HasSubstr("a version of CUDA"));
  EXPECT_THAT(problem_of(rent + "free_disk = \"much\"\n"), HasSubstr("free_disk"));
  EXPECT_THAT(problem_of(rent + "egress_usd_per_gb = 2000\n"), HasSubstr("1000 USD per GB"));
  EXPECT_THAT(problem_of(rent + "maxprice = 1\n"), HasSubstr("did you mean 'max_price'"));
  EXPECT_THAT(problem_of("[machine.rent]\nby = \"vast\"\n"), HasSubstr("has no type"));
  EXPECT_THAT(problem_of(rent, "[rent]\nat_once = 0\n"), HasSubstr("at_once"));
  EXPECT_THAT(problem_of("known_hosts = \"~/k\"\n" + rent),
              HasSubstr("only for a machine with host"));
}

TEST(RentSection, AHostMayNameTheFileWithItsKey) {
  const Fleet fleet = fleet_with("host = \"sky\"\nknown_hosts = \"~/sky.known_hosts\"\n");
  EXPECT_EQ(fleet.machines.at(0).place_setup.place,
            Place(SshPlace{"sky", "", "~/sky.known_hosts"}));
  EXPECT_THAT(problem_of("host = \"sky\"\nknown_hosts = \"sky\"\n"), HasSubstr("begins with /"));
}

Offer gpu_offer(const std::string& name, const std::string& provider, const std::string& gpu,
                const char* price) {
  Offer offer;
  offer.name = name;
  offer.provider = provider;
  offer.machine_type = name + "-type";
  offer.accelerator = gpu;
  offer.accelerator_count = 1;
  offer.price = {Money::parse(price)};
  offer.as_of = "2026-11-20";
  return offer;
}

TEST(RentFleet, TakesTheCheapestMachineOfAnAdapterForEachGpu) {
  const std::vector<Offer> offers{
      gpu_offer("dear", "gcp", "l4", "0.70"), gpu_offer("cheap", "gcp", "L4", "0.50"),
      gpu_offer("other", "azure", "L4", "0.10"), gpu_offer("next", "gcp", "L40", "0.20")};
  std::vector<std::string> lacking;
  const auto machines = cheapest_machines(offers, {"gcloud"}, {"L4", "RTX 4090"}, lacking);
  ASSERT_EQ(machines.size(), 1u);
  EXPECT_EQ(machines[0].offer, "cheap");
  EXPECT_EQ(machines[0].by, "gcloud");
  EXPECT_THAT(lacking, ElementsAre("RTX 4090"));
  const Fleet fleet = parse_fleet(rent_fleet_text(machines), "rent.toml");
  EXPECT_EQ(fleet.machines.at(0).type.name, "l4");
  EXPECT_EQ(fleet.machines.at(0).offer_name, "cheap");
  EXPECT_EQ(fleet.machines.at(0).rent->order.most.per_hour, Money::parse("0.55"));  // 10 % more
}

TEST(RentFleet, WithoutGpusItHasEveryTypeOfAnAdapter) {
  std::vector<AdapterOffer> offers(3);
  offers[0].type = offers[1].type = "small";
  offers[2].type = "large";
  offers[0].price = HourlyPrice{Money::parse("0.12")};
  offers[1].price = HourlyPrice{Money::parse("0.10")};
  offers[2].price = HourlyPrice{Money::parse("0.40")};
  offers[2].gpu = "L4";
  offers[2].vcpus = 4;
  std::vector<std::string> lacking;
  const auto machines = cheapest_machines(offers, "fakecloud", {}, lacking);
  const Fleet fleet = parse_fleet(rent_fleet_text(machines), "rent.toml");
  ASSERT_EQ(fleet.machines.size(), 2u);
  EXPECT_EQ(fleet.machines[0].offer->price.per_hour, Money::parse("0.10"));
  EXPECT_EQ(fleet.machines[1].rent->order.type, "large");
  EXPECT_EQ(fleet.machines[0].offer->accelerator, "");
  EXPECT_EQ(fleet.machines[1].offer->accelerator, "L4");
  EXPECT_EQ(fleet.machines[1].offer->accelerator_count, 1);
  EXPECT_EQ(fleet.machines[1].offer->vcpus, 4);
}

}  // namespace
}  // namespace lapcast
