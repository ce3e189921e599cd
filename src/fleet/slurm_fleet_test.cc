#include "fleet/slurm_fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fleet/fleet_file.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

NodeType gpu_nodes() {
  NodeType type;
  type.name = "gpu-64c-4xa100";
  type.partition = "gpu";
  type.cpus = 64;
  type.layout = "2:32:1";
  type.memory_mib = 512'000;
  type.features = {"ib", "zen4"};
  type.gres = "gpu:a100:4,nic:2";
  type.time_limit_ns = 172'800'000'000'000;
  type.nodes = 8;
  type.usable = 6;
  type.place = {.partition = "gpu", .constraint = "ib&zen4", .gres = "gpu:a100:4"};
  return type;
}

TEST(SlurmFleet, IsAFleetFile) {
  NodeType other = gpu_nodes();
  other.name = "odd \"name\" \\";
  other.place = {.partition = "gpu", .flags = {"--exclude=a[1-2]"}};
  other.time_limit_ns = 120'000'000'000;
  const std::string text = slurm_fleet_text({gpu_nodes(), other}, "login1", "2026-11-22");
  const Fleet fleet = parse_fleet(text, "cluster.toml");
  ASSERT_EQ(fleet.machines.size(), 2u);
  EXPECT_EQ(fleet.machines[0].type.name, "gpu-64c-4xa100");
  EXPECT_EQ(fleet.machines[0].place_setup.place,
            Place(SlurmPlace{
                "login1", "gpu", "ib&zen4", "gpu:a100:4", "", 900'000'000'000, {"--exclusive"}}));
  EXPECT_EQ(fleet.machines[1].type.name, other.name);
  EXPECT_EQ(
      fleet.machines[1].place_setup.place,
      Place(SlurmPlace{
          "login1", "gpu", "", "", "", 120'000'000'000, {"--exclusive", "--exclude=a[1-2]"}}));
  EXPECT_EQ(fleet.machines[0].offer->as_of, "2026-11-22");
}

TEST(SlurmFleet, SaysWhatTheNodesAreAndWhatIsToBeFilledIn) {
  const std::string text = slurm_fleet_text({gpu_nodes()}, "", "2026-11-22");
  EXPECT_THAT(text, HasSubstr("# 8 nodes with 64 CPUs (2:32:1 sockets:cores:threads), 500.0 GiB of "
                              "memory, gpu:a100:4,nic:2; features: ib, zen4\n"
                              "# 6 of them can be used now\n"
                              "[[machine]]\n"
                              "name = \"gpu-64c-4xa100\"\n"
                              "price = \"0\"  # FILL IN: USD per hour of one such node\n"));
  EXPECT_THAT(text, Not(HasSubstr("login")));
}

TEST(SlurmFleet, SaysWhyNodesCannotBeUsedNow) {
  NodeType reserved = gpu_nodes();
  reserved.usable = 0;
  reserved.states = {"reserved"};
  EXPECT_THAT(slurm_fleet_text({reserved}, "", "2026-11-22"),
              HasSubstr("# none of them can be used now: reserved; flags = "
                        "[\"--reservation=NAME\"] asks for yours\n"));
  NodeType others = gpu_nodes();
  others.states = {"drained", "in maintenance"};
  EXPECT_THAT(slurm_fleet_text({others}, "", "2026-11-22"),
              HasSubstr("# 6 of them can be used now; the others are drained or in maintenance\n"));
}

FleetMachine entry(const std::string& name, bool every) {
  FleetMachine machine;
  machine.type.name = name;
  machine.offer.emplace().name = name;
  machine.offer->machine_type = name;
  machine.offer->price = {Money::parse("1.5")};
  machine.place_setup.place =
      SlurmPlace{.partition = "gpu", .account = "lab7", .flags = {"--qos=low"}};
  machine.every_node_type = every;
  return machine;
}

NodeType type(const std::string& name, std::int64_t usable) {
  NodeType type;
  type.name = name;
  type.usable = usable;
  type.place = {.partition = "gpu", .constraint = name, .gres = "gpu:" + name + ":1"};
  return type;
}

Result<std::vector<NodeType>> two_up_one_down(const Place&) {
  return std::vector<NodeType>{type("a100", 4), type("old", 0), type("h200", 1)};
}

std::vector<std::string> names(const Fleet& fleet) {
  std::vector<std::string> result;
  for (const FleetMachine& machine : fleet.machines) result.push_back(machine.type.name);
  return result;
}

TEST(NodeTypeMachines, OneForEachKindThatIsUp) {
  const Fleet fleet = with_node_types({{entry("x", false), entry("c", true)}, {}}, two_up_one_down);
  EXPECT_THAT(names(fleet), ElementsAre("x", "c/a100", "c/h200"));
  const FleetMachine& machine = fleet.machines.at(1);
  const SlurmPlace expected{.partition = "gpu",
                            .constraint = "a100",
                            .gres = "gpu:a100:1",
                            .account = "lab7",
                            .flags = {"--qos=low"}};
  EXPECT_EQ(machine.place_setup.place, Place(expected));
  EXPECT_EQ(machine.offer->machine_type, "c/a100");
  EXPECT_EQ(machine.offer->price.per_hour, Money::parse("1.5"));
  EXPECT_FALSE(machine.every_node_type);
}

std::string problem(const Fleet& fleet,
                    const std::function<Result<std::vector<NodeType>>(const Place&)>& ask) {
  try {
    with_node_types(fleet, ask);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(NodeTypeMachines, SaysWhatIsInTheWay) {
  const auto none = [](const Place&) { return Result<std::vector<NodeType>>(); };
  const auto failing = [](const Place&) {
    return Result<std::vector<NodeType>>(because("sinfo does not answer"));
  };
  EXPECT_THAT(problem({{entry("c", true)}, {}}, none), HasSubstr("no node that machine 'c'"));
  EXPECT_EQ(problem({{entry("c", true)}, {}}, failing), "sinfo does not answer");
  EXPECT_THAT(problem({{entry("c/a100", false), entry("c", true)}, {}}, two_up_one_down),
              HasSubstr("two machines are named 'c/a100'"));
}

/// Returns the arguments of all entries, or the one reason.
std::vector<std::string> read(const std::vector<std::string>& entries) {
  SlurmFlags flags;
  for (const std::string& entry : entries)
    if (const auto added = flags.add(entry); !added) return {"refused: " + added.error().text};
  auto arguments = flags.take();
  if (!arguments) return {"refused: " + arguments.error().text};
  return *arguments;
}

TEST(SlurmFlags, EachOptionBecomesOneArgumentHoweverItIsWritten) {
  EXPECT_THAT(read({"-c", "4", "-c4", "--cpus-per-task", "4", "--cpus-per-task=4"}),
              ElementsAre("--cpus-per-task=4", "--cpus-per-task=4", "--cpus-per-task=4",
                          "--cpus-per-task=4"));
  EXPECT_THAT(read({"--exclusive", "--exclusive=user", "-H", "--nice=-5"}),
              ElementsAre("--exclusive", "--exclusive=user", "--hold", "--nice=-5"));
  EXPECT_THAT(read({"--comment", "a/b c", "--exclude=a[1-2],b"}),
              ElementsAre("--comment=a/b c", "--exclude=a[1-2],b"));
}

TEST(SlurmFlags, WhatNamesACommandOrAFileIsRefusedByName) {
  for (const std::string flag : {"--wrap",
                                 "--task-prolog",
                                 "--task-epilog",
                                 "--prolog",
                                 "--epilog",
                                 "--output",
                                 "--error",
                                 "--input",
                                 "--chdir",
                                 "--export",
                                 "--export-file",
                                 "--bcast",
                                 "--get-user-env",
                                 "--uid",
                                 "--gid",
                                 "--bb",
                                 "--bbf",
                                 "--burst-buffer-file",
                                 "--container",
                                 "--propagate",
                                 "--array",
                                 "--clusters",
                                 "--job-name",
                                 "--dependency",
                                 "--requeue",
                                 "--no-requeue",
                                 "--reboot",
                                 "--mail-user",
                                 "--signal",
                                 "--wait",
                                 "--test-only",
                                 "--parsable",
                                 "--",
                                 "---"}) {
    EXPECT_THAT(read({flag + "=x"}).at(0), HasSubstr("refused: " + flag + " is not passed on"));
    EXPECT_THAT(read({flag, "x"}).at(0), HasSubstr("refused: " + flag + " is not passed on"));
  }
  for (const std::string flag : {"-o", "-e", "-i", "-D", "-J", "-d", "-a", "-M", "-W", "-Z", "-Q"})
    EXPECT_THAT(read({flag + "x"}).at(0), HasSubstr("is not passed on"));
}

TEST(SlurmFlags, AbbreviationsAreRefused) {
  for (const char* flag : {"--wra=x", "--qo=low", "--cpus=4", "--ti=1", "--QOS=low", "--qos =low"})
    EXPECT_THAT(read({flag}).at(0), HasSubstr("is not passed on"));
}

TEST(SlurmFlags, NoValueIsTakenForAnOptionAndNoOptionForAValue) {
  EXPECT_THAT(read({"--comment", "--wrap=x"}).at(0), HasSubstr("--comment lacks its value"));
  EXPECT_THAT(read({"--qos"}).at(0), HasSubstr("--qos lacks its value"));
  EXPECT_THAT(read({"--qos="}).at(0), HasSubstr("--qos has an empty value"));
  EXPECT_THAT(read({"--hold=x"}).at(0), HasSubstr("--hold takes no value"));
  EXPECT_THAT(read({"-Hx"}).at(0), HasSubstr("-H takes no value"));
  // The script that sbatch would run instead of lapcast's.
  EXPECT_THAT(read({"--hold", "/tmp/x.sh"}).at(0), HasSubstr("'/tmp/x.sh' is neither an option"));
  EXPECT_THAT(read({"--exclusive", "x.sh"}).at(0), HasSubstr("'x.sh' is neither an option"));
  // Slurm would read such a list from the file.
  EXPECT_THAT(read({"--nodelist=./nodes"}).at(0), HasSubstr("a slash, as a path has"));
  EXPECT_THAT(read({"-x", "/etc/passwd"}).at(0), HasSubstr("a slash, as a path has"));
}

}  // namespace

}  // namespace lapcast
