#include "fleet/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "core/error.h"
#include "fleet/placeholders.h"

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
  // These are not names: JSON, an empty pair, a digit first, upper case, an open brace.
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
  EXPECT_THAT(message_of([&] {
                candidates_of(fleet, {}, with_program({"t", "{batch}"}));
              }),
              HasSubstr("{batch} in the program has no values"));
  EXPECT_THAT(message_of([&] {
                candidates_of(fleet, {{"lr", {"1"}}}, with_program({"t"}));
              }),
              HasSubstr("no placeholder {lr}"));
}

TEST(Candidates, OnHostsNeedNoValuesForTheWordsOfANode) {
  FleetMachine pair = machine("pair", "2");
  pair.place_setup.place = SshPlace{.host = "one", .others = {"two"}};
  const RunContext common = with_program({"t", "{node}", "{nodes}", "{head}"});
  const auto candidates = candidates_of({{pair, machine("a", "1")}, {}}, {}, common);
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidate_name(candidates[0]), "pair");
  EXPECT_EQ(candidate_name(candidates[1]), "a");
  // The user's own values stay settings.
  EXPECT_EQ(candidate_name(candidates_of({{pair}, {}}, {{"head", {"x"}}}, common).at(0)),
            "pair head=x");
  FleetMachine cluster = machine("cluster", "1");
  cluster.place_setup.place = SlurmPlace{.nodes = 1};
  EXPECT_EQ(candidates_of({{cluster}, {}}, {}, common).size(), 1u);
  cluster.place_setup.place = SlurmPlace{.nodes = 2};
  EXPECT_EQ(candidates_of({{cluster}, {}}, {}, common).size(), 1u);
}

TEST(CheapestMachine, IsTakenOncePerSetting) {
  const Fleet fleet{{machine("dear", "2"), machine("cheap", "0.5"), machine("mid", "1")}, {}};
  const auto all = candidates_of(fleet, {{"b", {"1", "2"}}}, with_program({"t", "{b}"}));
  const auto chosen = on_cheapest_machine(all);
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(candidate_name(chosen[0]), "cheap b=1");
  EXPECT_EQ(candidate_name(chosen[1]), "cheap b=2");
}

/// Returns the probe of the only candidate of a fleet of one machine that is reached through Slurm.
ProbeRequest only_probe() {
  FleetMachine cluster = machine("a", "1");
  cluster.place_setup.place = SlurmPlace{.partition = "gpu"};
  ProbeRequest probe;
  probe.context = candidates_of({{cluster}, {}}, {{"b", {"1"}}}, with_program({"t", "{b}"})).at(0);
  probe.place_setup = cluster.place_setup;
  return probe;
}

TEST(Fingerprint, DependsOnNothingThatChangesNoResult) {
  const std::string key = fingerprint({only_probe()});
  ProbeRequest probe = only_probe();
  probe.context.id = "123";
  probe.context.machine.host = "elsewhere";
  probe.context.lapcast_version = "9";
  probe.context.started_at = "2026-11-22T00:00:00Z";
  probe.limits.grace = Seconds{1};
  probe.keep_run_folder = true;
  probe.store_file = "x.db";
  EXPECT_EQ(fingerprint({probe}), key);
}

TEST(Fingerprint, DependsOnPricesOnlyWhereTheyDecideWhatIsMeasured) {
  ProbeRequest dearer = only_probe();
  dearer.context.price->price.per_hour = Money::parse("1.5");
  dearer.context.offer = "cloud/dearer";
  EXPECT_EQ(fingerprint({dearer}), fingerprint({only_probe()}));
  EXPECT_NE(fingerprint({dearer}, {}, true), fingerprint({only_probe()}, {}, true));
}

// Stores of earlier versions have the keys of such sweeps.
TEST(Fingerprint, DoesNotContainTheExtensionThatALocalMachineNeeds) {
  ProbeRequest local = only_probe();
  local.place_setup.place = LocalPlace{};
  const std::string key = fingerprint({local});
  local.place_setup.needs = "AVX2";
  EXPECT_EQ(fingerprint({local}), key);
}

TEST(Fingerprint, DependsOnAllThatCanChangeAResult) {
  using Change = std::function<void(ProbeRequest&)>;
  const auto slurm = [](ProbeRequest& probe) -> SlurmPlace& {
    return std::get<SlurmPlace>(probe.place_setup.place);
  };
  const std::vector<Change> changes{
      [](auto& probe) { probe.context.plan.epochs = 3; },
      [](auto& probe) { probe.context.settings["b"] = "2"; },
      [](auto& probe) { probe.context.program.push_back("--more"); },
      [](auto& probe) { probe.context.machine_type.environment["A"] = "1"; },
      [](auto& probe) { probe.limits.precision = 0.01; },
      [](auto& probe) { probe.limits.max_laps = 7; },
      [](auto& probe) { probe.limits.budget = Seconds{7}; },
      [](auto& probe) { probe.hook = false; },
      [](auto& probe) { probe.run_parent = "/dev/shm"; },
      [](auto& probe) { probe.place_setup.place = SshPlace{"box"}; },
      [&](auto& probe) { slurm(probe).flags = {"--exclusive"}; },
      [&](auto& probe) {
        slurm(probe).flags = {"--excl", "usive"};
      },
      [&](auto& probe) { slurm(probe).constraint = "avx2"; },
      [&](auto& probe) { slurm(probe).gres = "gpu:1"; },
      [&](auto& probe) { slurm(probe).time_limit_ns = 1; },
      [](auto& probe) { probe.place_setup.group = "g"; },
      [](auto& probe) { probe.place_setup.folder = "/scratch"; },
      [](auto& probe) { probe.place_setup.needs = "AVX2"; },
      [](auto& probe) { probe.place_setup.setup = "make"; },
      [](auto& probe) {
        probe.place_setup.data = {DataSet{"d", 1, DataSource::send}};
      },
      [](auto& probe) {
        probe.place_setup.data = {DataSet{"d", 2, DataSource::send}};
      },
  };
  std::set<std::string> keys{fingerprint({only_probe()}), fingerprint({only_probe(), only_probe()}),
                             fingerprint({only_probe()}, {{"race", "cost"}}),
                             fingerprint({only_probe()}, {{"race", "time"}})};
  for (const Change& change : changes) {
    ProbeRequest probe = only_probe();
    change(probe);
    keys.insert(fingerprint({probe}));
  }
  EXPECT_EQ(keys.size(), 4 + changes.size());  // all differ
}

}  // namespace
}  // namespace lapcast
