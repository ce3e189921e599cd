#include "fleet/schedule.h"

#include <gmock/gmock.h>

#include <random>

namespace lapcast {
namespace {

using testing::ElementsAre;

ProbeRequest probe(const std::string& name, const std::vector<int>& cpus, const Place& place = {},
                   const std::string& group = "") {
  ProbeRequest request;
  request.context.machine_type.name = name;
  request.context.machine_type.cpus = cpus;
  request.site.place = place;
  request.site.group = group;
  return request;
}

/// Takes all that may run at once now.
std::vector<std::size_t> all_next(Schedule& schedule) {
  std::vector<std::size_t> started;
  while (const auto index = schedule.next()) started.push_back(*index);
  return started;
}

TEST(Schedule, OneAtATimeOnSharedCpus) {
  Schedule schedule({probe("a", {0}), probe("b", {0, 1}), probe("c", {1}), probe("a", {0})});
  EXPECT_THAT(all_next(schedule), ElementsAre(0, 2));
  schedule.release(0);
  EXPECT_THAT(all_next(schedule), ElementsAre(3));  // b still lacks CPU 1
  schedule.release(2);
  EXPECT_THAT(all_next(schedule), ElementsAre());
  schedule.release(3);
  EXPECT_THAT(all_next(schedule), ElementsAre(1));
  EXPECT_EQ(schedule.waiting(), 0U);
}

TEST(Schedule, WithoutACpuSetItTakesTheWholeHost) {
  Schedule schedule({probe("all", {}), probe("a", {0}), probe("all", {})});
  EXPECT_THAT(all_next(schedule), ElementsAre(0));
  schedule.release(0);
  EXPECT_THAT(all_next(schedule), ElementsAre(1));
  schedule.release(1);
  EXPECT_THAT(all_next(schedule), ElementsAre(2));
}

TEST(Schedule, HostsAreIndependentUnlessTheyAreOneGroup) {
  const SshPlace x{"x"}, y{"y"}, z{"z"};
  Schedule schedule({probe("a", {}, x), probe("b", {}, x), probe("c", {}, y), probe("d", {0}),
                     probe("e", {}, z, "rack"), probe("f", {}, SshPlace{"w"}, "rack")});
  EXPECT_THAT(all_next(schedule), ElementsAre(0, 2, 3, 4));
  schedule.release(4);
  EXPECT_THAT(all_next(schedule), ElementsAre(5));
}

TEST(Schedule, JobsOfASlurmEntryQueueTogetherButNotWithoutEnd) {
  std::vector<ProbeRequest> requests(40, probe("gpu", {}, SlurmPlace{.partition = "gpu"}));
  requests.push_back(probe("cpu", {}, SlurmPlace{.partition = "cpu"}));
  Schedule schedule(requests);
  EXPECT_EQ(all_next(schedule).size(), 33U);  // 32 of gpu, one of cpu
  schedule.release(0);
  EXPECT_THAT(all_next(schedule), ElementsAre(32));
}

// Holds for any machines and any order in which probes end: all run once, none beside one that it
// shares hardware with, and nothing waits that could run.
TEST(Schedule, RandomFleets) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<ProbeRequest> requests;
    for (unsigned i = 0; i < 1 + random() % 40; ++i) {
      std::vector<int> cpus;
      for (int cpu = 0; cpu < 3; ++cpu)
        if (random() % 2) cpus.push_back(cpu);
      const Place place = random() % 2 ? Place(SshPlace{random() % 2 ? "x" : "y"}) : Place();
      requests.push_back(probe("m", cpus, place, random() % 4 == 0 ? "g" : ""));
    }
    const auto clash = [&](std::size_t a, std::size_t b) {
      const PlaceSetup& one = requests[a].site;
      const PlaceSetup& other = requests[b].site;
      const bool same_group = !one.group.empty() && one.group == other.group;
      return same_group ||
             (one.place == other.place &&
              share_cpus(requests[a].context.machine_type, requests[b].context.machine_type));
    };
    Schedule schedule(requests);
    std::vector<std::size_t> running;
    std::set<std::size_t> started;
    do {
      for (const std::size_t index : all_next(schedule)) {
        for (const std::size_t other : running) ASSERT_FALSE(clash(index, other));
        running.push_back(index);
        ASSERT_TRUE(started.insert(index).second);
      }
      ASSERT_FALSE(running.empty());
      const std::size_t ended = random() % running.size();
      schedule.release(running[ended]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(ended));
    } while (schedule.waiting() > 0 || !running.empty());
    ASSERT_EQ(started.size(), requests.size());
  }
}

}  // namespace
}  // namespace lapcast
