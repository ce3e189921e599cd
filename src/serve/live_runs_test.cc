#include "serve/live_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "posix/folder_test.h"
#include "probe/ids_and_time.h"
#include "probe/run_folder.h"

namespace lapcast {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<Lap> laps_of_times(const std::vector<int>& milliseconds) {
  std::vector<Lap> laps;
  std::int64_t end = 0;
  for (const int time : milliseconds) {
    Lap lap;
    lap.begin_ns = end;
    end += time * 1'000'000LL;
    lap.end_ns = end;
    laps.push_back(lap);
  }
  return laps;
}

TEST(DrawnLaps, FewAreDrawnAllAndOfManyTheExtremes) {
  EXPECT_EQ(drawn_laps(laps_of_times({5, 6, 7}), 4).size(), 3U);
  EXPECT_THAT(drawn_laps({}, 2), IsEmpty());
  std::vector<int> times(1000, 5);
  times[333] = 90;
  times[700] = 1;
  const auto points = drawn_laps(laps_of_times(times), 10);
  ASSERT_EQ(points.size(), 10U);
  std::vector<std::int64_t> extremes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_TRUE(i == 0 || points[i - 1].index <= points[i].index);
    if (points[i].time.count() != 0.005) extremes.push_back(points[i].index);
  }
  EXPECT_EQ(extremes, (std::vector<std::int64_t>{333, 700}));
}

/// Is a folder for run folders, with one run under way.
class LiveRunsTest : public FolderTest {
 protected:
  void write(const std::string& text, const char* name = "laps.1.log") {
    std::ofstream(run_.lap_dir() / name, std::ios::app) << text;
  }
  void describe() {
    RunContext context;
    context.id = "3f0c8a91d2e4";
    context.program = {"./train", "--api-key", "hunter2hunter2", "<script>"};
    run_.describe(context);
  }

  /// Looks until there is something to tell: searches of folders rest between each other.
  std::string look_after_the_rest() {
    std::string events;
    for (int i = 0; i < 10'000 && events.empty(); ++i) {
      events = live_.look();
      if (events.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return events;
  }

  RunFolder run_{folder_, "3f0c8a91d2e4"};
  LiveRuns live_{folder_};
};

constexpr const char* kHello = "lapcast-laps 1\n0 hello clock=0\n";

TEST_F(LiveRunsTest, TellsOfARunItsLapsAndItsEnd) {
  EXPECT_THAT(live_.look(), HasSubstr("event: run\ndata: {\"run\":\"3f0c8a91d2e4\"}\n\n"));
  write(kHello);
  EXPECT_THAT(live_.look(), IsEmpty());
  write("1000000 i 8\n3000000 i 8\n");
  const std::string events = live_.look();
  EXPECT_THAT(events, HasSubstr("event: laps\n"));
  EXPECT_THAT(events, HasSubstr("\"laps\":2"));
  EXPECT_THAT(events, HasSubstr("[1,0.003,0.002]"));
  EXPECT_THAT(live_.look(), IsEmpty());
  EXPECT_THAT(live_.snapshot(), HasSubstr("[1,0.003,0.002]"));
  std::filesystem::remove_all(run_.root());
  EXPECT_THAT(look_after_the_rest(),
              HasSubstr("event: gone\ndata: {\"run\":\"3f0c8a91d2e4\"}\n\n"));
  EXPECT_THAT(live_.snapshot(), IsEmpty());
}

TEST_F(LiveRunsTest, TellsWhichRunItIsWithoutItsSecrets) {
  describe();
  const std::string events = live_.look();
  EXPECT_THAT(events, HasSubstr("\"kind\":\"probe\""));
  EXPECT_THAT(events, HasSubstr("./train --api-key *** <script>"));
  EXPECT_THAT(events, Not(HasSubstr("hunter2")));
}

/// Returns the data of the last event `laps`.
nlohmann::json last_laps(const std::string& events) {
  const std::string begin = "event: laps\ndata: ";
  const std::size_t at = events.rfind(begin);
  if (at == std::string::npos) return {};
  return nlohmann::json::parse(
      events.substr(at + begin.size(), events.find("\n\n", at) - at - begin.size()), nullptr,
      false);
}

TEST_F(LiveRunsTest, TellsTheTimeLeftAndTheCostAsWatchDoes) {
  RunContext context;
  context.id = "3f0c8a91d2e4";
  context.program = {"./train"};
  context.kind = RunKind::full;
  context.plan.steps = 1'000'000;
  context.price.emplace().price = {Money::parse("3.60")};
  run_.describe(context);
  const std::int64_t began = monotonic_ns();
  std::string text = "lapcast-laps 1\n0 hello clock=" + std::to_string(began) + "\n";
  for (int lap = 1; lap <= 40; ++lap) text += std::to_string(lap * 100) + " i 8\n";
  write(text);
  const nlohmann::json laps = last_laps(live_.look());
  ASSERT_EQ(laps.value("laps", 0), 40) << laps;
  EXPECT_LT(laps["left_s_low"], laps["left_s"]);
  EXPECT_LT(laps["left_s"], laps["left_s_high"]);
  EXPECT_GE(laps["cost_usd"], laps["cost_so_far_usd"]);
  // The probe of the same program is stopped: no time left is said of it.
  context.kind = RunKind::probe;
  run_.describe(context);
  live_.forget();
  const nlohmann::json of_probe = last_laps(live_.look());
  EXPECT_EQ(of_probe.value("laps", 0), 40);
  EXPECT_FALSE(of_probe.contains("left_s") || of_probe.contains("cost_so_far_usd")) << of_probe;
}

TEST_F(LiveRunsTest, ADescriptionOfAnotherRunOrBehindALinkIsNotRead) {
  describe();
  std::filesystem::rename(run_.root() / "about", folder_ / "about");
  std::filesystem::create_symlink(folder_ / "about", run_.root() / "about");
  EXPECT_THAT(live_.look(), Not(HasSubstr("./train")));
  live_.forget();
  std::filesystem::remove(run_.root() / "about");
  std::ofstream(run_.root() / "about") << std::string(3 << 20, '[');
  EXPECT_THAT(live_.look(), HasSubstr("event: run"));
}

TEST_F(LiveRunsTest, NeverFollowsALink) {
  std::filesystem::create_directory(folder_ / "other");
  std::ofstream(folder_ / "other" / "laps.9.log") << kHello << "1000000 i 8\n";
  std::filesystem::create_symlink(folder_ / "other" / "laps.9.log", run_.lap_dir() / "laps.9.log");
  EXPECT_THAT(live_.look(), Not(HasSubstr("event: laps")));
  std::filesystem::remove_all(run_.lap_dir());
  std::filesystem::create_directory_symlink(folder_ / "other", run_.lap_dir());
  EXPECT_THAT(live_.look(), Not(HasSubstr("event: laps")));
}

TEST_F(LiveRunsTest, AHostileLogGivesBoundedEvents) {
  std::string text = kHello;
  for (int i = 1; i <= 20'000; ++i) text += std::to_string(i) + " i 1\n";
  text += std::string(1 << 20, 'x') + "\n\x1b[2J\xff\xfe i 3\n-1 i\n99999999999999999999 i 1\n";
  write(text);
  const std::string events = live_.look();
  EXPECT_THAT(events, HasSubstr("\"laps\":20000"));
  EXPECT_LT(events.size(), 8192U);
  for (const char c : events) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 127));
}

// Others can make a search of the folders long; a look does not wait for it.
TEST_F(LiveRunsTest, ALookThatDoesNotWaitTellsOfTheRunLater) {
  LiveRuns impatient(folder_, std::chrono::milliseconds{0});
  std::string events;
  while (events.empty()) events = impatient.look();
  EXPECT_THAT(events, HasSubstr("event: run\ndata: {\"run\":\"3f0c8a91d2e4\"}\n\n"));
}

TEST_F(LiveRunsTest, ForgetLetsFilesGo) {
  write(kHello);
  write("1000000 i 8\n");
  EXPECT_THAT(live_.look(), HasSubstr("event: laps"));
  live_.forget();
  EXPECT_THAT(live_.snapshot(), IsEmpty());
  EXPECT_THAT(live_.look(), HasSubstr("\"laps\":1"));
}

}  // namespace
}  // namespace lapcast
