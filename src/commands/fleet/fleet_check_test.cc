#include "commands/fleet/fleet_check.h"

#include <gmock/gmock.h>
#include <mutex>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

FleetMachine machine_at(const std::string& name, const Place& place) {
  FleetMachine machine;
  machine.type.name = name;
  machine.place_setup.place = place;
  return machine;
}

TEST(CheckFleet, ReachesAPlaceOnceAndAddsWhatEachMachineLacks) {
  FleetMachine picky = machine_at("picky", SshPlace{"box"});
  picky.type.cpus = {5};
  FleetMachine queued = machine_at("queued", SlurmPlace{.partition = "gpu"});
  queued.type.cpus = {5};
  const Fleet fleet{{machine_at("plain", SshPlace{"box"}), picky, queued}, {}};
  std::mutex mutex;
  std::vector<std::string> reached;
  Interrupt interrupt;
  const auto checked = check_fleet(
      fleet, Seconds{1}, interrupt, [](std::size_t, std::size_t all) { EXPECT_EQ(all, 2u); },
      [&](const PlaceSetup& place, Seconds, const Interrupt&) {
        const std::scoped_lock lock(mutex);
        reached.push_back(describe(place.place));
        MachineCheck check;
        check.facts.machine.allowed_cpus = {0, 1};
        return check;
      });
  EXPECT_THAT(reached, UnorderedElementsAre("ssh box", "slurm gpu"));
  ASSERT_EQ(checked.size(), 3u);
  EXPECT_EQ(checked[1].name, "picky");
  EXPECT_THAT(checked[0].check.lacking, IsEmpty());
  EXPECT_THAT(checked[1].check.lacking, ElementsAre(HasSubstr("CPU 5 cannot be used here")));
  EXPECT_THAT(checked[2].check.lacking, IsEmpty());  // another node may have it
}

TEST(CheckFleet, NamesOneBoxThatHasTwoHosts) {
  FleetMachine slow = machine_at("slow", SshPlace{"third"});
  slow.type.cpu_quota = 0.5;
  const Fleet fleet{
      {machine_at("first", SshPlace{"gpu1"}), machine_at("second", SshPlace{"gpu2"}), slow}, {}};
  Interrupt interrupt;
  const auto checked = check_fleet(
      fleet, Seconds{1}, interrupt, [](std::size_t, std::size_t) {},
      [](const PlaceSetup&, Seconds, const Interrupt&) {
        MachineCheck check;
        check.facts.machine.boot_id = "one boot";
        return check;
      });
  EXPECT_EQ(checked[0].same_as, "");
  EXPECT_EQ(checked[1].same_as, "first");
  EXPECT_EQ(checked[2].same_as, "");  // half of it is another machine type
}

using FilesToSendTest = FolderTest;

TEST_F(FilesToSendTest, ListsTheProgramAndSaysWhenNothingIsSent) {
  write_text(folder_ / "train.py", "1");
  write_text(folder_ / ".env", "1");
  const auto local = files_to_send({{machine_at("a", {})}, {}}, folder_, folder_ / "store.db");
  EXPECT_TRUE(local.all_local);
  const auto remote =
      files_to_send({{machine_at("a", SshPlace{"box"})}, {}}, folder_, folder_ / "store.db");
  EXPECT_FALSE(remote.all_local);
  ASSERT_EQ(remote.sent.size(), 1u);
  EXPECT_EQ(remote.sent[0].path, "train.py");
  ASSERT_EQ(remote.unsent.size(), 1u);
  EXPECT_EQ(remote.unsent[0].rule, "secret");
}

}  // namespace
}  // namespace lapcast
