#include "fleet/node_type_machines.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

FleetMachine entry(const std::string& name, bool every) {
  FleetMachine machine;
  machine.type.name = name;
  machine.offer.emplace().name = name;
  machine.offer->machine_type = name;
  machine.offer->price = {Money::parse("1.5")};
  machine.site.place = SlurmPlace{.partition = "gpu", .account = "lab7", .flags = {"--qos=low"}};
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
  EXPECT_EQ(machine.site.place, Place(expected));
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

}  // namespace
}  // namespace lapcast
