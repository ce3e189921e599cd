#include "campaign/schedule.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/place.h"

namespace lapcast {
namespace {

/// Returns a probe on the hosts at once, on these of their CPUs; none = on all.
ProbeRequest on_hosts(std::vector<std::string> hosts, std::vector<int> cpus = {}) {
  ProbeRequest request;
  SshPlace place{.host = hosts.front()};
  place.others.assign(hosts.begin() + 1, hosts.end());
  request.place_setup.place = std::move(place);
  request.context.machine_type.cpus = std::move(cpus);
  return request;
}

/// Starts all that may start now, and returns which.
std::vector<Schedule::Index> started(Schedule& schedule) {
  std::vector<Schedule::Index> all;
  while (const auto index = schedule.next()) all.push_back(*index);
  return all;
}

using Started = std::vector<Schedule::Index>;

TEST(ScheduleOfSeveralHosts, TakesAllOfThemAtOnce) {
  Schedule schedule({on_hosts({"a", "b"}), on_hosts({"b"}), on_hosts({"c"}), on_hosts({"a"})});
  EXPECT_EQ(started(schedule), (Started{0, 2}));  // c has nothing to do with the pair
  EXPECT_FALSE(schedule.is_free(1));
  EXPECT_FALSE(schedule.is_free(3));
  schedule.release(0);
  EXPECT_EQ(started(schedule), (Started{1, 3}));
  EXPECT_EQ(schedule.waiting(), 0U);
}

TEST(ScheduleOfSeveralHosts, WaitsUntilTheLastOfThemIsFree) {
  Schedule schedule({on_hosts({"a"}), on_hosts({"b"}), on_hosts({"a", "b"}), on_hosts({"b", "c"})});
  EXPECT_EQ(started(schedule), (Started{0, 1}));
  schedule.release(0);
  EXPECT_EQ(started(schedule), (Started{}));  // b, which both pairs need, is busy
  schedule.release(1);
  EXPECT_EQ(started(schedule), (Started{2}));
  schedule.release(2);
  EXPECT_EQ(started(schedule), (Started{3}));
}

TEST(ScheduleOfSeveralHosts, SharesThemByTheirCpus) {
  Schedule schedule(
      {on_hosts({"a", "b"}, {0}), on_hosts({"b"}, {1}), on_hosts({"b"}, {0, 1}), on_hosts({"a"})});
  EXPECT_EQ(started(schedule), (Started{0, 1}));  // on other CPUs of b
  schedule.release(1);
  EXPECT_EQ(started(schedule), (Started{}));
  schedule.release(0);
  // Without a CPU set a probe takes all CPUs of a, which the pair has given back.
  EXPECT_EQ(started(schedule), (Started{2, 3}));
}

TEST(ScheduleOfSeveralHosts, WorksAsLongAsTheBusiestOfThem) {
  const Schedule schedule({on_hosts({"a", "b"}), on_hosts({"b"}), on_hosts({"a"})});
  EXPECT_EQ(schedule.wall_time({Seconds{10}, Seconds{7}, Seconds{3}}), Seconds{17});
}

}  // namespace
}  // namespace lapcast
