#include "campaign/campaign.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class CampaignTest : public FolderTest {
 protected:
  static ProbeRequest request(const std::string& name, std::vector<int> cpus) {
    ProbeRequest request;
    request.context.id = new_id();
    request.context.machine_type.name = name;
    request.context.machine_type.cpus = std::move(cpus);
    return request;
  }
  CampaignResult run(std::vector<ProbeRequest> requests) {
    return run_campaign(std::move(requests), {executor_, store_, interrupt_, listener_,
                                              [this] { return executor_.now(); }});
  }

  Interrupt interrupt_;
  FakeExecutor executor_;
  Store store_ = Store::open(folder_ / "store.db");
  std::vector<std::string> ended_;
  std::vector<std::string> states_;
  CampaignListener listener_{
      [this](const CampaignProgress& progress) {
        for (const RunUnderWay& running : progress.running) states_.push_back(running.row());
      },
      [this](const lapcast::Run& run) { ended_.push_back(run.context.machine_type.name); }};
};

TEST_F(CampaignTest, RunsBesideEachOtherOnlyWhatSharesNoCpu) {
  const CampaignResult result = run({request("a", {0}), request("b", {0}), request("c", {1})});
  EXPECT_THAT(executor_.started, ElementsAre("a", "c", "b"));  // c passes b, which waits for a
  EXPECT_EQ(executor_.most_at_once, 2U);
  EXPECT_EQ(result.finished, 3U);
  EXPECT_EQ(result.failed, 0U);
  EXPECT_FALSE(result.interrupted);
}

TEST_F(CampaignTest, AllCpusAreSharedWithEverybody) {
  run({request("all", {}), request("a", {0}), request("b", {1})});
  EXPECT_THAT(executor_.started, ElementsAre("all", "a", "b"));
  EXPECT_EQ(executor_.most_at_once, 2U);
}

TEST_F(CampaignTest, AFailedRunIsStoredAndStopsNobody) {
  executor_.outcomes["a"] = outcome::Crashed{1, 0};
  const CampaignResult result = run({request("a", {0}), request("b", {0})});
  EXPECT_EQ(result.finished, 2U);
  EXPECT_EQ(result.failed, 1U);
  EXPECT_THAT(ended_, ElementsAre("a", "b"));
  EXPECT_EQ(store_.list().size(), 2U);
}

TEST_F(CampaignTest, AWatchedRunIsStoredWhileItGoesOn) {
  ProbeRequest watched = request("a", {0});
  watched.watch.emplace();
  std::string while_it_ran;
  executor_.on_end = [&] { while_it_ran = describe(store_.get("last").outcome); };
  run({watched});
  EXPECT_EQ(while_it_ran, "not ended: it goes on");
  ASSERT_EQ(store_.list().size(), 1U);
  EXPECT_EQ(describe(store_.get("last").outcome), "enough");
}

TEST_F(CampaignTest, TheFirstStartIsColdTheLaterOnesWarmUnlessTheyAreKnown) {
  ProbeRequest known = request("c", {0});
  known.context.start = StartKind::cold;
  run({request("a", {0}), request("b", {0}), known});
  std::vector<StartKind> starts;
  for (const ProbeRequest& one : executor_.requests) starts.push_back(one.context.start);
  EXPECT_THAT(starts, ElementsAre(StartKind::cold, StartKind::warm, StartKind::cold));
  for (const ProbeRequest& one : executor_.requests) EXPECT_EQ(one.store_file, store_.file());
  EXPECT_EQ(executor_.requests[0].context.started_at, "2026-11-20T12:00:00Z");
  EXPECT_EQ(executor_.requests[1].context.started_at, "2026-11-20T12:00:03Z");  // 30 laps of 0.1 s
}

TEST_F(CampaignTest, ProgressNamesTheCandidateAndItsState) {
  run({request("a", {0})});
  EXPECT_THAT(states_, ElementsAre("a: lap 3"));
}

TEST_F(CampaignTest, TheTimeThatIsLeftIsThatOfTheBusiestHardware) {
  std::map<std::size_t, double> left;  // by the number of probes that are done
  listener_.on_progress = [&](const CampaignProgress& progress) {
    if (progress.eta) left[progress.done] = progress.eta->count();
  };
  // A listener is told of progress every 100 ms.
  executor_.on_end = [] { std::this_thread::sleep_for(std::chrono::milliseconds(110)); };
  run({request("a", {0}), request("b", {1}), request("c", {0}), request("d", {1})});
  // A probe takes 3.1 s. When a is done, CPU 0 has c to do, and beside it CPU 1 has b and d.
  const auto is = [](std::size_t done, double seconds) {
    return testing::Pair(done, testing::DoubleNear(seconds, 1e-6));
  };
  EXPECT_THAT(left, ElementsAre(is(1, 6.2), is(2, 3.1), is(3, 3.1), is(4, 0)));
}

TEST_F(CampaignTest, AnInterruptStopsWhatRunsAndStartsNothingMore) {
  executor_.on_end = [this] {
    if (ended_.empty()) raise(SIGINT);
  };
  const CampaignResult result = run({request("a", {0}), request("b", {1}), request("c", {0})});
  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(executor_.stopped);
  EXPECT_THAT(executor_.started, UnorderedElementsAre("a", "b"));
  EXPECT_EQ(result.finished, 1U);
  EXPECT_EQ(store_.list().size(), 2U);  // the interrupted one is kept too
}

ProbeRequest probe(const std::string& name, const std::vector<int>& cpus, const Place& place = {},
                   const std::string& group = "") {
  ProbeRequest request;
  request.context.machine_type.name = name;
  request.context.machine_type.cpus = cpus;
  request.place_setup.place = place;
  request.place_setup.group = group;
  return request;
}

/// Returns whether two machine types have a CPU in common; one without CPUs has all.
bool share_cpus(const MachineType& a, const MachineType& b) {
  return a.cpus.empty() || b.cpus.empty() ||
         std::ranges::find_first_of(a.cpus, b.cpus) != a.cpus.end();
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

TEST(Schedule, AMachineToRentIsFreeOnceItIsThere) {
  const RentedPlace alike{"x", "t", ""};
  Schedule schedule({probe("a", {}, alike), probe("b", {}, alike), probe("a", {}, alike)});
  EXPECT_THAT(all_next(schedule), ElementsAre());
  schedule.open("b");
  EXPECT_THAT(all_next(schedule), ElementsAre(1));
  schedule.open("a");
  EXPECT_THAT(all_next(schedule), ElementsAre(0));
  schedule.close("a");  // it was lost
  schedule.release(0);
  EXPECT_THAT(all_next(schedule), ElementsAre());
  schedule.open("a");
  EXPECT_THAT(all_next(schedule), ElementsAre(2));
}

TEST(Schedule, JobsOfASlurmEntryQueueTogetherButNotWithoutEnd) {
  std::vector<ProbeRequest> requests(40, probe("gpu", {}, SlurmPlace{.partition = "gpu"}));
  requests.push_back(probe("cpu", {}, SlurmPlace{.partition = "cpu"}));
  Schedule schedule(requests);
  EXPECT_EQ(all_next(schedule).size(), 33U);  // 32 of gpu, one of cpu
  schedule.release(0);
  EXPECT_THAT(all_next(schedule), ElementsAre(32));
}

TEST(Schedule, WallTimeIsThatOfTheBusiestHardware) {
  const SshPlace x{"x"};
  const Schedule cpus({probe("a", {0}), probe("b", {1}), probe("ab", {0, 1}), probe("far", {}, x)});
  const auto s = [](double seconds) { return Seconds{seconds}; };
  EXPECT_EQ(cpus.wall_time({s(3), s(5), s(2), s(1)}), s(7));  // b, then ab
  EXPECT_EQ(cpus.wall_time({s(3), s(0), s(2), s(9)}), s(9));
  const Schedule queue(
      std::vector<ProbeRequest>(64, probe("gpu", {}, SlurmPlace{.partition = "g"})));
  EXPECT_EQ(queue.wall_time(std::vector<Seconds>(64, s(10))), s(20));  // 32 at a time
  std::vector<Seconds> one(64);
  one[5] = s(10);
  EXPECT_EQ(queue.wall_time(one), s(10));
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
      const PlaceSetup& one = requests[a].place_setup;
      const PlaceSetup& other = requests[b].place_setup;
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
