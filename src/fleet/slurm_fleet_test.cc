#include "fleet/slurm_fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/fleet_file.h"

namespace lapcast {
namespace {

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
  EXPECT_EQ(fleet.machines[0].site.place,
            Place(SlurmPlace{
                "login1", "gpu", "ib&zen4", "gpu:a100:4", "", 900'000'000'000, {"--exclusive"}}));
  EXPECT_EQ(fleet.machines[1].type.name, other.name);
  EXPECT_EQ(
      fleet.machines[1].site.place,
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

}  // namespace
}  // namespace lapcast
