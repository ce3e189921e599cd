#include "spot/availability_trace.h"

#include <gtest/gtest.h>

#include <limits>

namespace lapcast {
namespace {

constexpr Date kToday{2026, 11, 27};

TEST(SpotTrace, TicksBecomeSpans) {
  const auto read = parse_availability_trace(
      R"( {"metadata": {"gap_seconds": 300}, "data": [1, 1, 0, 4, null, 4]})", kToday);
  ASSERT_TRUE(read);
  const std::vector<TraceSpan> expected{{Seconds{0}, Seconds{600}, 1},
                                        {Seconds{600}, Seconds{900}, 0},
                                        {Seconds{900}, Seconds{1200}, 4},
                                        {Seconds{1200}, Seconds{1500}, std::nullopt},
                                        {Seconds{1500}, Seconds{1800}, 4}};
  EXPECT_EQ(read->trace.spans, expected);
  ASSERT_EQ(read->problems.size(), 1u);
  EXPECT_EQ(read->problems[0].text,
            "tick is not a whole number from 0 to 1000000: 1 of them, the first at tick 4");
}

TEST(SpotTrace, WhatIsNoTickTraceHasAReason) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"metadata": {"gap_seconds": 0}, "data": [1]})",
        R"({"metadata": {"gap_seconds": 1e308}, "data": [1]})",
        R"({"metadata": {"gap_seconds": "300"}, "data": [1]})",
        R"({"metadata": [300], "data": [1]})", R"({"metadata": {"gap_seconds": 300}, "data": []})",
        R"({"metadata": {"gap_seconds": 300}, "data": 1})"})
    EXPECT_FALSE(parse_tick_trace(text)) << text;
}

TEST(SpotTrace, TicksThatAreNoCountsAreGaps) {
  const auto read = parse_tick_trace(
      R"({"metadata": {"gap_seconds": 1}, "data": [-1, 1e308, 1.5, "1", true, [1], 2]})");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->trace.spans.size(), 2u);
  EXPECT_EQ(read->trace.spans[0], (TraceSpan{Seconds{0}, Seconds{6}, std::nullopt}));
}

TEST(SpotTrace, EventsCountMachines) {
  const auto read = parse_availability_trace("60000,add,a\n90000,add,b\n150000,remove,a\n", kToday);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->problems.empty());
  const std::vector<TraceSpan> expected{{Seconds{0}, Seconds{30}, 1},
                                        {Seconds{30}, Seconds{90}, 2}};
  EXPECT_EQ(read->trace.spans, expected);
}

TEST(SpotTrace, WrongEventsAreProblems) {
  const auto read = parse_event_trace(
      "time,event,node\n"                  // a header
      "2026-11-20T12:00:00+01:00,add,a\n"  // another time zone
      "0,add,a\n"
      "2026-11-20T12:00:00Z,add,z\n"  // another kind of time
      "2000,remove,a\n"
      "1000,add,b\n"     // out of order
      "1500,add,b\n"     // twice
      "1600,remove,c\n"  // never added
      "3000,stop,a\n"
      "nan,add,a\n"
      "4000,remove,b\n",
      kToday);
  ASSERT_TRUE(read);
  const std::vector<TraceSpan> expected{
      {Seconds{0}, Seconds{1}, 1}, {Seconds{1}, Seconds{2}, 2}, {Seconds{2}, Seconds{4}, 1}};
  EXPECT_EQ(read->trace.spans, expected);
  EXPECT_EQ(read->problems.size(), 6u);
  EXPECT_FALSE(parse_event_trace("\xff\xfe,,\n", kToday));
  EXPECT_FALSE(parse_event_trace("", kToday));
}

// A row of the year 9999 made a machine that never ends, by either kind of time.
TEST(SpotTrace, ATimeThatCannotBeIsAProblem) {
  const auto utc = parse_event_trace(
      "2026-11-20T12:00:00Z,add,a\n2026-11-20T13:00:00Z,remove,a\n9999-12-31T23:59:59Z,add,b\n"
      "1969-12-31T23:59:59Z,add,c\n",
      kToday);
  ASSERT_TRUE(utc);
  EXPECT_EQ(utc->trace.length(), Seconds{3600});
  ASSERT_EQ(utc->problems.size(), 2u);
  EXPECT_EQ(utc->problems[0].text, "time is before 1970: 1 of them, the first at line 4");
  EXPECT_EQ(utc->problems[1].text, "time is in the future: 1 of them, the first at line 3");
  const auto ms = parse_event_trace("0,add,a\n5000,remove,a\n253402300799000,add,b\n", kToday);
  ASSERT_TRUE(ms);
  EXPECT_EQ(ms->trace.length(), Seconds{5});
  EXPECT_EQ(ms->problems.size(), 1u);
  EXPECT_TRUE(parse_event_trace("1795780800000,add,a\n", kToday)->problems.empty());  // is 2026
}

TEST(SpotTrace, SoakedSessionsAndWaitsAreATrace) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  SoakedMachine machine{"box", "cuda", {}, {}, 0};
  machine.sessions.push_back({"box", "cuda", 100 * kSecond, Seconds{50}, 0, SessionFate::cut});
  machine.waits.push_back({150 * kSecond, Seconds{30}, true});
  machine.sessions.push_back({"box", "cuda", 180 * kSecond, Seconds{20}, 0, SessionFate::stopped});
  machine.sessions.push_back({"box", "cuda", 300 * kSecond, Seconds{10}, 0, SessionFate::open});
  machine.sessions.push_back({"box", "cuda", 305 * kSecond, Seconds{15}, 0, SessionFate::open});
  const ReadTrace read = trace_of(machine);
  const std::vector<TraceSpan> expected{{Seconds{0}, Seconds{50}, 1},
                                        {Seconds{50}, Seconds{80}, 0},
                                        {Seconds{80}, Seconds{100}, 1},
                                        {Seconds{100}, Seconds{200}, std::nullopt},
                                        {Seconds{200}, Seconds{220}, 1}};
  EXPECT_EQ(read.trace.spans, expected);
  EXPECT_EQ(read.problems.size(), 1u);  // 305 lies within 300 .. 310
}

TEST(SpotTrace, AClockFarOffEndsTheTrace) {
  SoakedMachine machine{"box", "cuda", {}, {}, 0};
  machine.sessions.push_back({"box", "cuda", std::numeric_limits<std::int64_t>::min(), Seconds{5}});
  machine.sessions.push_back({"box", "cuda", std::numeric_limits<std::int64_t>::max(), Seconds{5}});
  const ReadTrace read = trace_of(machine);
  EXPECT_EQ(read.trace.length(), Seconds{5});
  EXPECT_EQ(read.problems.size(), 1u);
}

TEST(SpotTrace, LifetimesAreCensoredWhereTheRecordEnds) {
  AvailabilityTrace trace;
  trace.extend(Seconds{10}, 4);
  trace.extend(Seconds{15}, 2);
  trace.extend(Seconds{18}, 0);
  trace.extend(Seconds{20}, 3);
  trace.extend(Seconds{30}, std::nullopt);
  trace.extend(Seconds{37}, 4);
  const auto spans = presence_of(trace, 2);
  ASSERT_EQ(spans.size(), 5u);  // 4 and 2 machines are both enough
  const auto there = lifetimes_of(spans, Presence::there);
  ASSERT_EQ(there.size(), 3u);
  EXPECT_EQ(there[0].time, 15);
  EXPECT_TRUE(there[0].ended);
  EXPECT_EQ(there[1].time, 2);
  EXPECT_FALSE(there[1].ended);  // what followed was not recorded
  EXPECT_FALSE(there[2].ended);
  const auto part = part_of(spans, Seconds{16}, Seconds{19});
  ASSERT_EQ(part.size(), 2u);
  EXPECT_EQ(part[0].length(), Seconds{2});
}

}  // namespace
}  // namespace lapcast
