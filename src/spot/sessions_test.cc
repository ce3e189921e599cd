#include "spot/sessions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Returns a log of a machine whose boot was at UTC second 1000.
class LogText {
 public:
  LogText& begin(const std::string& id, int at, const char* boot = "b1", bool over_link = false) {
    return add(SessionBegin{instant(at), id, boot, 60 * kSecond, "cpu", "box", over_link});
  }
  LogText& beats(const std::string& id, int from, int to) {
    for (int at = from; at <= to; at += 60) add(SessionBeat{instant(at), id, at});
    return *this;
  }
  LogText& end(const std::string& id, int at) { return add(SessionEnd{instant(at), id}); }
  LogText& lost(const std::string& id, int at) { return add(SessionLost{instant(at), id}); }
  LogText& refused(int at) { return add(SessionRefused{instant(at), "cpu", "box"}); }
  LogText& utc_moves_by(int seconds) {
    utc_ += seconds;
    return *this;
  }
  HeartbeatLog log() const { return log_; }
  SoakedMachine told() const {
    const SoakRecord record = sessions_of(std::vector<HeartbeatLog>{log_});
    return record.machines.empty() ? SoakedMachine{} : record.machines[0];
  }

 private:
  Instant instant(int at) const { return {(utc_ + at) * kSecond, at * kSecond}; }
  LogText& add(const Heartbeat& heartbeat) {
    log_.heartbeats.push_back(heartbeat);
    return *this;
  }
  std::int64_t utc_ = 1000;
  HeartbeatLog log_;
};

TEST(Sessions, NothingFromNothing) {
  EXPECT_TRUE(sessions_of({}).machines.empty());
}

TEST(Sessions, TheLastOneIsOpen) {
  const SoakedMachine told = LogText().begin("a", 0).beats("a", 60, 600).told();
  ASSERT_EQ(told.sessions.size(), 1u);
  EXPECT_EQ(told.sessions[0].length, Seconds{600});
  EXPECT_EQ(told.sessions[0].fate, SessionFate::open);
  EXPECT_EQ(told.sessions[0].work, 600);
  EXPECT_TRUE(told.waits.empty());
}

TEST(Sessions, StartedAgainItNoticesTheGap) {
  const SoakedMachine told =
      LogText().begin("a", 0).beats("a", 60, 120).begin("b", 1000).beats("b", 1060, 1060).told();
  ASSERT_EQ(told.sessions.size(), 2u);
  EXPECT_EQ(told.sessions[0].fate, SessionFate::cut);
  EXPECT_EQ(told.sessions[0].gap, Seconds{880});
  EXPECT_EQ(told.waits, (std::vector<Wait>{{1120 * kSecond, Seconds{880}, true}}));
}

TEST(Sessions, StoppedByTheUserWaitsForNothing) {
  const SoakedMachine told =
      LogText().begin("a", 0).beats("a", 60, 120).end("a", 150).begin("b", 9000).told();
  EXPECT_EQ(told.sessions[0].fate, SessionFate::stopped);
  EXPECT_EQ(told.sessions[0].length, Seconds{150});
  EXPECT_FALSE(told.sessions[0].gap);
  EXPECT_TRUE(told.waits.empty());
}

TEST(Sessions, AHoleOfMoreThanThreeIntervalsCuts) {
  // A machine that was frozen: 180 s are within three intervals, 181 s are not.
  const SoakedMachine within = LogText().begin("a", 0).beats("a", 180, 180).told();
  EXPECT_EQ(within.sessions.size(), 1u);
  const SoakedMachine told = LogText().begin("a", 0).beats("a", 60, 60).beats("a", 360, 420).told();
  ASSERT_EQ(told.sessions.size(), 2u);
  EXPECT_EQ(told.sessions[0].fate, SessionFate::cut);
  EXPECT_EQ(told.sessions[0].gap, Seconds{300});
  EXPECT_DOUBLE_EQ(told.sessions[1].length.count(), 60);
  EXPECT_EQ(told.sessions[1].work, 360);
}

TEST(Sessions, AClockThatIsSetBackDoesNotMatterWithinABoot) {
  const SoakedMachine told = LogText()
                                 .begin("a", 0)
                                 .beats("a", 60, 60)
                                 .utc_moves_by(-7200)
                                 .beats("a", 120, 180)
                                 .begin("b", 1000)
                                 .told();
  EXPECT_EQ(told.sessions[0].length, Seconds{180});
  EXPECT_EQ(told.sessions[0].gap, Seconds{820});
}

TEST(Sessions, OverARebootAClockThatWasSetBackLeavesTheGapUnknown) {
  LogText log;
  log.begin("a", 5000).beats("a", 5060, 5060).utc_moves_by(4000).begin("b", 2000, "b2");
  EXPECT_DOUBLE_EQ(log.told().sessions[0].gap.value().count(), 940);  // 2000 + 5000 - (5060 + 1000)
  LogText back;
  back.begin("a", 5000).beats("a", 5060, 5060).begin("b", 10, "b2");
  EXPECT_EQ(back.told().sessions[0].fate, SessionFate::cut);
  EXPECT_FALSE(back.told().sessions[0].gap);
}

TEST(Sessions, OverALinkOnlyALostOneWasCut) {
  const SoakedMachine told = LogText()
                                 .begin("a", 0, "b1", true)
                                 .beats("a", 60, 60)
                                 .begin("b", 500, "b1", true)  // the observer was started anew
                                 .lost("b", 560)
                                 .refused(620)
                                 .refused(800)
                                 .told();
  EXPECT_EQ(told.sessions[0].fate, SessionFate::open);
  EXPECT_EQ(told.sessions[1].fate, SessionFate::cut);
  EXPECT_EQ(told.refusals, 2u);
  EXPECT_EQ(told.waits, (std::vector<Wait>{{1500 * kSecond, Seconds{300}, false}}));
}

TEST(Sessions, TheFirstOneMayHaveToBeWaitedFor) {
  const SoakedMachine told = LogText().refused(0).refused(60).begin("a", 90).told();
  EXPECT_EQ(told.waits, (std::vector<Wait>{{1000 * kSecond, Seconds{90}, true}}));
}

TEST(Sessions, CopiesOfALogCountOnce) {
  const HeartbeatLog part = LogText().begin("a", 0).beats("a", 60, 120).log();
  const HeartbeatLog whole = LogText().begin("a", 0).beats("a", 60, 300).log();
  for (const auto& logs : {std::vector{part, whole}, std::vector{whole, part}}) {
    const SoakRecord record = sessions_of(logs);
    ASSERT_EQ(record.machines[0].sessions.size(), 1u);
    EXPECT_EQ(record.machines[0].sessions[0].length, Seconds{300});
  }
}

TEST(Sessions, HeartbeatsWithoutABeginningAreStrays) {
  const SoakRecord record =
      sessions_of(std::vector{LogText().beats("a", 60, 120).end("a", 130).log()});
  EXPECT_TRUE(record.machines.empty());
  EXPECT_EQ(record.strays, 3u);
}

constexpr std::int64_t kHourNs = 3600LL * 1'000'000'000;

/// Holds a machine for 12 h, loses it, holds it for 3 h, loses it and cannot have it for 5 h; all
/// of it twice.
SoakedMachine colab() {
  SoakedMachine machine{"colab", "cuda", {}, {}, 0};
  std::int64_t at = 0;
  const auto session = [&](int hours, int gap) {
    machine.sessions.push_back(
        {"colab", "cuda", at, Seconds{hours * 3600.0}, 0, SessionFate::cut, Seconds{gap * 3600.0}});
    at += hours * kHourNs;
    machine.waits.push_back({at, Seconds{gap * 3600.0}, true});
    at += gap * kHourNs;
  };
  session(12, 0);
  session(3, 5);
  session(12, 0);
  session(3, 5);
  return machine;
}

TEST(Availability, OfThePapersSessions) {
  const Availability result = availability_of(colab());
  EXPECT_EQ(result.cuts, 4u);
  EXPECT_EQ(result.held, Seconds{30 * 3600.0});
  EXPECT_EQ(result.wanted, Seconds{40 * 3600.0});
  EXPECT_EQ(result.share(), 0.75);
  EXPECT_EQ(result.median_session_s.mid, 3 * 3600);  // two of four lasted no longer
  EXPECT_EQ(result.median_wait_s.mid, 0);
}

TEST(Availability, IsDividedAmongTheHoursOfTheDay) {
  SoakedMachine machine{"m", "cpu", {}, {}, 0};
  // 23:30 to 02:00, and a wait from 02:00 to 02:15.
  machine.sessions.push_back({"m", "cpu", 23 * kHourNs + kHourNs / 2, Seconds{2.5 * 3600}, 0,
                              SessionFate::cut, Seconds{900}});
  machine.waits.push_back({26 * kHourNs, Seconds{900}, true});
  const Availability result = availability_of(machine);
  EXPECT_EQ(result.held_at[23], Seconds{1800});
  EXPECT_EQ(result.held_at[0], Seconds{3600});
  EXPECT_EQ(result.held_at[1], Seconds{3600});
  EXPECT_EQ(result.held_at[2], Seconds{0});
  EXPECT_EQ(result.wanted_at[2], Seconds{900});
}

TEST(Availability, WholeDaysCountInEveryHour) {
  SoakedMachine machine{"m", "cpu", {}, {}, 0};
  machine.sessions.push_back({"m", "cpu", 0, Seconds{49 * 3600.0}, 0, SessionFate::open});
  const Availability result = availability_of(machine);
  EXPECT_EQ(result.held_at[0], Seconds{3 * 3600.0});
  EXPECT_EQ(result.held_at[1], Seconds{2 * 3600.0});
  EXPECT_EQ(result.median_session_s.mid, INFINITY);
}

TEST(Availability, OfNothingIsNotKnown) {
  EXPECT_FALSE(availability_of({}).share());
}

}  // namespace

}  // namespace lapcast
