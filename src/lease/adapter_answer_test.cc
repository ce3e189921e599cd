#include "lease/adapter_answer.h"

#include <gmock/gmock.h>

#include <string>

namespace lapcast {
namespace {

using testing::HasSubstr;

constexpr const char* kMachine =
    R"({"lease": "5cb6fbbacaca", "machine": "m-1", "state": "running", "address": "10.0.0.2",
        "usd_per_hour": 0.1, "created": "2026-11-20T12:00:00Z", "ended": null, "colour": "blue"})";

TEST(AdapterAnswer, AMachineHasDefaultsForWhatIsNotTold) {
  const auto machine = parse_machine(kMachine);
  ASSERT_TRUE(machine) << machine.error().text;
  EXPECT_EQ(machine->machine, "m-1");
  EXPECT_EQ(machine->state, ListedState::running);
  EXPECT_TRUE(machine->costs);
  EXPECT_EQ(machine->port, 22);
  EXPECT_EQ(machine->price, HourlyPrice{Money::parse("0.1")});
  EXPECT_EQ(machine->created, 1'795'176'000'000'000'000);
  EXPECT_FALSE(machine->ended);
  EXPECT_TRUE(machine->is_machine);
}

TEST(AdapterAnswer, OnlyAGoneMachineCostsNothingWithoutSayingSo) {
  for (const char* state : {"starting", "running", "ending", "stopped", "failed"}) {
    const auto machine = parse_machine(R"({"lease": "5cb6fbbacaca", "machine": "m", "state": ")" +
                                       std::string(state) + "\"}");
    EXPECT_TRUE(machine->costs) << state;
  }
  EXPECT_FALSE(
      parse_machine(R"({"lease": "5cb6fbbacaca", "machine": "m", "state": "gone"})")->costs);
}

TEST(AdapterAnswer, WhatSshWouldMisreadIsRefused) {
  const auto problem = [](const std::string& member) {
    const auto machine = parse_machine(
        R"({"lease": "5cb6fbbacaca", "machine": "m", "state": "running", )" + member + "}");
    return machine ? "nothing" : machine.error().text;
  };
  EXPECT_THAT(problem(R"("address": "10.0.0.2\nProxyCommand sh")"), HasSubstr(".address"));
  EXPECT_THAT(problem(R"("address": "-oProxyCommand=sh")"), HasSubstr(".address"));
  EXPECT_THAT(problem(R"("user": "root -o x")"), HasSubstr(".user"));
  EXPECT_THAT(problem(R"("host_key": "ssh-ed25519 AAAA\n@cert-authority *")"),
              HasSubstr(".host_key"));
  EXPECT_THAT(problem(R"("port": 70000)"), HasSubstr(".port"));
  EXPECT_EQ(problem(R"("host_key": "ssh-ed25519 AAAA")"), "nothing");
}

TEST(AdapterAnswer, AListMayBeIncompleteAndHaveEntriesOfOthers) {
  const std::string other = R"({"lease": null, "machine": "theirs", "state": "odd"})";
  const auto bare = parse_machine_list("[" + std::string(kMachine) + "," + other + "]");
  ASSERT_TRUE(bare) << bare.error().text;
  EXPECT_TRUE(bare->complete);
  EXPECT_EQ(bare->machines.size(), 1U);
  const auto partial = parse_machine_list(R"({"machines": [], "complete": false})");
  ASSERT_TRUE(partial);
  EXPECT_FALSE(partial->complete);
}

TEST(AdapterAnswer, OneBrokenEntryOfALeaseMakesAListUnclear) {
  const auto list =
      parse_machine_list(R"([{"lease": "5cb6fbbacaca", "machine": "m", "state": "sleeping"}])");
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().refusal, RentRefusal::unclear);
  EXPECT_THAT(list.error().text, HasSubstr("'sleeping'"));
}

TEST(AdapterAnswer, AnOfferMayTellThePriceOfEgress) {
  const auto offers = parse_offers(R"([{"type": "a", "egress_usd_per_gb": "0.09"}, {"type": "b",
      "egress_usd_per_gb": 0.12}, {"type": "c", "egress_usd_per_gb": null}])");
  ASSERT_TRUE(offers) << offers.error().text;
  EXPECT_EQ(offers->at(0).egress, Money::parse("0.09"));
  EXPECT_EQ(offers->at(1).egress, Money::parse("0.12"));
  EXPECT_FALSE(offers->at(2).egress);
  for (const char* price : {"\"-1\"", "1001", "\"dear\"", "true"})
    EXPECT_FALSE(
        parse_offers(R"([{"type": "a", "egress_usd_per_gb": )" + std::string(price) + "}]"))
        << price;
}

TEST(AdapterAnswer, ErrorsHaveAKindAndAText) {
  const auto refused = parse_machine(R"({"error": "capacity", "text": "none\u001b[2J left"})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), (AdapterError{RentRefusal::capacity, "none? left"}));
  EXPECT_EQ(parse_machine(R"({"error": "moonphase", "text": ""})").error().refusal,
            RentRefusal::unclear);
  EXPECT_TRUE(tells_error(R"({"error": "quota"})"));
  EXPECT_FALSE(tells_error("[1]"));
}

TEST(AdapterAnswer, BrokenJsonIsUnclear) {
  for (const char* text : {"", "{", "[]", "7", "null", R"({"machine": "m"})"}) {
    ASSERT_FALSE(parse_machine(text)) << text;
    EXPECT_EQ(parse_machine(text).error().refusal, RentRefusal::unclear) << text;
  }
  EXPECT_FALSE(parse_machine_list(std::string(100'000, '[')));
}

TEST(AdapterAnswer, ADescriptionSaysWhoEndsAMachine) {
  const auto protection = [](const std::string& members) {
    const auto described = parse_description(R"({"contract": 1)" + members + "}");
    EXPECT_TRUE(described) << described.error().text;
    return protection_of(*described);
  };
  EXPECT_EQ(protection(""), Protection::this_computer);
  EXPECT_EQ(protection(R"(, "deadline": "provider")"), Protection::provider);
  EXPECT_EQ(protection(R"(, "deadline": "machine")"), Protection::this_computer)
      << "a stopped machine goes on costing";
  EXPECT_EQ(protection(R"(, "deadline": "machine", "power_off_ends_bill": true)"),
            Protection::machine);
  EXPECT_EQ(protection(R"(, "deadline": "machine", "end_command": "delete-me")"),
            Protection::machine);
  EXPECT_FALSE(parse_description(R"({"contract": 2})"));
  EXPECT_FALSE(parse_description(R"({"contract": 1, "settle_seconds": 0})"));
  EXPECT_FALSE(parse_description(R"({"contract": 1, "billing": {"step": -1}})"));
}

}  // namespace
}  // namespace lapcast
