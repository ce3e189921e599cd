#include "fleet/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

FleetMachine machine(const std::string& name, const char* price) {
  FleetMachine machine;
  machine.type.name = name;
  machine.offer = Offer{.name = name,
                        .machine_type = name,
                        .price = {Money::parse(price)},
                        .as_of = "2026-11",
                        .source = "test"};
  return machine;
}

RunContext with_program(std::vector<std::string> program) {
  RunContext context;
  context.program = std::move(program);
  return context;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Placeholders, AreFoundOnceAndSorted) {
  EXPECT_THAT(placeholders_of({"./train", "--lr={lr}", "{batch}", "x{batch}y", "{run_dir}"}),
              ElementsAre("batch", "lr"));
  // No names: JSON, an empty pair, a digit first, upper case, an open brace.
  EXPECT_THAT(placeholders_of({"{\"a\": 1}", "{}", "{1x}", "{Batch}", "{batch"}), IsEmpty());
  EXPECT_THAT(placeholders_of({"{{batch}"}), ElementsAre("batch"));
}

TEST(Settings, AreParsed) {
  EXPECT_EQ(parse_setting("batch=128,512").second, (std::vector<std::string>{"128", "512"}));
  for (const char* bad : {"batch", "=1", "batch=", "batch=1,,2", "batch=1,1", "Batch=1", "b-c=1"})
    EXPECT_THROW(parse_setting(bad), Error) << bad;
}

TEST(Candidates, AreEveryMachineWithEveryCombination) {
  const Fleet fleet{{machine("a", "1"), machine("b", "2")}, {}};
  const PlaceholderValues values{{"batch", {"8", "16"}}, {"lr", {"0.1", "0.2", "0.3"}}};
  const auto candidates = candidates_of(fleet, values, with_program({"t", "{batch}", "{lr}"}));
  ASSERT_EQ(candidates.size(), 12u);  // 2 machines x 2 x 3
  EXPECT_EQ(candidate_name(candidates.front()), "a batch=8 lr=0.1");
  EXPECT_EQ(candidate_name(candidates.back()), "b batch=16 lr=0.3");
  EXPECT_EQ(candidates.back().price->price.per_hour, Money::parse("2"));
}

TEST(Candidates, WithoutPlaceholdersAreTheMachines) {
  const Fleet fleet{{machine("a", "1"), machine("b", "2")}, {}};
  const auto candidates = candidates_of(fleet, {}, with_program({"t"}));
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidate_name(candidates[1]), "b");
}

TEST(Candidates, NeedValuesForPlaceholdersAndPlaceholdersForValues) {
  const Fleet fleet{{machine("a", "1")}, {}};
  EXPECT_THAT(message_of([&] { candidates_of(fleet, {}, with_program({"t", "{batch}"})); }),
              HasSubstr("{batch} in the program has no values"));
  EXPECT_THAT(message_of([&] { candidates_of(fleet, {{"lr", {"1"}}}, with_program({"t"})); }),
              HasSubstr("no placeholder {lr}"));
}

TEST(CheapestMachine, IsTakenOncePerSetting) {
  const Fleet fleet{{machine("dear", "2"), machine("cheap", "0.5"), machine("mid", "1")}, {}};
  const auto all = candidates_of(fleet, {{"b", {"1", "2"}}}, with_program({"t", "{b}"}));
  const auto chosen = on_cheapest_machine(all);
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(candidate_name(chosen[0]), "cheap b=1");
  EXPECT_EQ(candidate_name(chosen[1]), "cheap b=2");
}

TEST(Fingerprint, DependsOnWhatMakesASweepAndOnNothingElse) {
  const Fleet fleet{{machine("a", "1")}, {}};
  auto candidates = candidates_of(fleet, {{"b", {"1"}}}, with_program({"t", "{b}"}));
  const std::string key = fingerprint(candidates);
  candidates[0].id = "123";
  candidates[0].machine.host = "elsewhere";
  candidates[0].lapcast_version = "9";
  EXPECT_EQ(fingerprint(candidates), key);
  candidates[0].plan.epochs = 3;
  EXPECT_NE(fingerprint(candidates), key);
  candidates[0].plan.epochs = 0;
  candidates[0].price->price.per_hour = Money::parse("1.5");
  EXPECT_NE(fingerprint(candidates), key);
}

}  // namespace
}  // namespace lapcast
