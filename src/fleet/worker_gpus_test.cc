#include "fleet/worker_gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "fleet/candidates.h"
#include "fleet/fleet_file.h"
#include "fleet/fleet_machine.h"
#include "machine/place.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Returns the machine of a fleet file with these lines.
FleetMachine box(const std::string& lines) {
  return parse_fleet("[prices]\nas_of = \"2026-11-20\"\n[[machine]]\nname = \"box\"\n" + lines, "f")
      .machines.at(0);
}

SettingValues workers(int count) {
  return {{kWorkersSetting, std::to_string(count)}};
}

constexpr const char* kOwned = "gpus = 8\n[machine.owned]\npurchase = \"70080\"\nyears = 1\n";
constexpr const char* kTwoNodes =
    "gpus = 8\nprice = 8\n[machine.slurm]\npartition = \"gpu\"\nnodes = 2\ngpus = 4\n";

/// Returns the price per hour of a candidate, and the name of its offer.
std::pair<Money, std::string> paid(const FleetMachine& machine, int count) {
  RunContext context;
  take_price(machine, workers(count), context);
  return {context.price->price.per_hour, context.offer};
}

std::string problem_with(const std::string& lines) {
  try {
    box(lines);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(WorkerGpus, AreThoseOfAllNodes) {
  EXPECT_EQ(gpus_of(box("gpus = 8\n")), 8);
  EXPECT_EQ(gpus_of(box("price = 1\n")), 0);
  EXPECT_EQ(gpus_of(box(kTwoNodes)), 8);
  EXPECT_EQ(gpus_of(box("gpus = 8\n[machine.slurm]\nnodes = 2\n")), 16);
}

TEST(WorkerGpus, AreTheDefaultNumbersOfWorkers) {
  EXPECT_THAT(default_workers(box("gpus = 8\n")), ElementsAre("1", "2", "4", "8"));
  EXPECT_THAT(default_workers(box("gpus = 6\n")), ElementsAre("1", "2", "4", "6"));
  EXPECT_THAT(default_workers(box("gpus = 1\n")), ElementsAre("1"));
  EXPECT_THAT(default_workers(box("price = 1\n")), IsEmpty());
}

TEST(WorkerGpus, MoreWorkersThanGpusAreARowWithAReason) {
  EXPECT_FALSE(lacks_gpus(box("gpus = 4\n"), workers(4)));
  EXPECT_EQ(lacks_gpus(box("gpus = 4\n"), workers(8))->text,
            "8 workers need as many GPUs, and it has 4");
  EXPECT_EQ(lacks_gpus(box(kTwoNodes), workers(9))->text,
            "9 workers need as many GPUs, and its 2 nodes have 8 together");
  EXPECT_FALSE(lacks_gpus(box("price = 1\n"), workers(100)));  // not known
  EXPECT_FALSE(lacks_gpus(box("gpus = 4\n"), {{kWorkersSetting, "many"}}));
  EXPECT_FALSE(lacks_gpus(box("gpus = 4\n"), {}));
}

TEST(WorkerGpus, OfARentedMachineArePaidWhole) {
  const FleetMachine rented = box("gpus = 8\nhost = \"h\"\nprice = 8\n");
  EXPECT_EQ(paid(rented, 2), std::pair(Money::parse("8"), std::string()));
}

TEST(WorkerGpus, OfAnOwnedMachineArePaidByNumber) {
  // 70080 USD over a year of 8760 hours are 8 USD an hour, 1 USD for each of 8 GPUs.
  EXPECT_EQ(paid(box(kOwned), 2), std::pair(Money::parse("2"), std::string("box (2 of 8 GPUs)")));
  EXPECT_EQ(paid(box(kOwned), 8), std::pair(Money::parse("8"), std::string()));
  RunContext without;
  take_price(box(kOwned), {}, without);
  EXPECT_EQ(without.price->price.per_hour, Money::parse("8"));
  RunContext two;
  take_price(box(kOwned), workers(2), two);
  EXPECT_TRUE(is_for_part(*two.price) && !is_for_part(*without.price));
  EXPECT_EQ(hourly_price(std::get<Owned>(two.price->terms)), two.price->price);
}

TEST(WorkerGpus, OfOwnedHostsArePaidOnEachOfThem) {
  const std::string hosts = "hosts = [\"a\", \"b\"]\n";
  EXPECT_EQ(gpus_of(box(hosts + kOwned)), 16);
  // Two of the 8 GPUs of each host, at 1 USD each.
  EXPECT_EQ(paid(box(hosts + kOwned), 4),
            std::pair(Money::parse("4"), std::string("box (2 nodes, 2 of 8 GPUs)")));
  EXPECT_EQ(paid(box(hosts + "gpus = 8\nprice = 8\n"), 4),
            std::pair(Money::parse("16"), std::string("box (2 nodes)")));
}

TEST(WorkerGpus, OfAJobArePaidAsItAsksForThem) {
  const FleetMachine cluster = box(kTwoNodes);
  // A node of 8 GPUs costs 8 USD; the job asks for 2 nodes, and for as many GPUs as are used.
  EXPECT_EQ(paid(cluster, 8),
            std::pair(Money::parse("8"), std::string("box (2 nodes, 4 of 8 GPUs)")));
  EXPECT_EQ(paid(cluster, 2),
            std::pair(Money::parse("2"), std::string("box (2 nodes, 1 of 8 GPUs)")));
  const auto asked = [&](int count) {
    return gpus_asked_of(place_setup_for(cluster, workers(count)).place);
  };
  EXPECT_EQ(asked(8), 4);
  EXPECT_EQ(asked(3), 2);  // on one of the nodes
  EXPECT_EQ(asked(100), 4);
  const FleetMachine whole =
      box("gpus = 8\nprice = 8\n[machine.slurm]\nnodes = 2\ngpus = 4\nflags = [\"--exclusive\"]\n");
  EXPECT_EQ(paid(whole, 2), std::pair(Money::parse("16"), std::string("box (2 nodes)")));
}

TEST(WorkerGpus, GiveTheNumbersOfWorkersThatNobodyNamed) {
  const Fleet fleet{{box("gpus = 2\n"), box("gpus = 3\n")}, {}};
  RunContext common;
  common.program = {"train", "{workers}"};
  std::vector<std::string> names;
  for (const RunContext& each : candidates_of(fleet, {}, common))
    names.push_back(candidate_name(each));
  EXPECT_THAT(names, ElementsAre("box workers=1", "box workers=2", "box workers=1", "box workers=2",
                                 "box workers=3"));
  EXPECT_EQ(candidates_of(fleet, {{"workers", {"2"}}}, common).size(), 2u);
  const Fleet unknown{{box("price = 1\n")}, {}};
  EXPECT_THROW(candidates_of(unknown, {}, common), Error);
}

TEST(WorkerGpus, AreReadFromTheFleetFile) {
  EXPECT_EQ(box("gpu = \"A100\"\ngpus = 4\nprice = 1\n").offer->accelerator_count, 4);
  EXPECT_THAT(problem_with("gpus = 0\n"),
              HasSubstr("f:5:8: gpus: '0' is not a number from 1 to 1024"));
  EXPECT_THAT(problem_with("gpus = 1.5\n"), HasSubstr("not a whole number"));
  EXPECT_THAT(problem_with("gpus = 8\noffer = \"x\"\n"), HasSubstr("catalog says it"));
  EXPECT_THAT(problem_with("[machine.slurm]\ngpus = 4\ngres = \"gpu:4\"\n"), HasSubstr("keep one"));
  EXPECT_THAT(problem_with("offer = \"x\"\n[machine.slurm]\nnodes = 2\n"),
              HasSubstr("one machine"));
}

TEST(WorkerGpus, OfAnOfferAreThoseOfTheCatalog) {
  Fleet fleet{{box("offer = \"x8\"\n")}, {}};
  take_offers(fleet, {Offer{.name = "x8", .accelerator = "A100", .accelerator_count = 8}}, "f");
  EXPECT_EQ(fleet.machines[0].gpus, 8);
}

}  // namespace
}  // namespace lapcast
