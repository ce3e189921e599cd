#include "soak/availability.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

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
