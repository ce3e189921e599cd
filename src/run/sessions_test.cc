#include "run/sessions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "lap/lap_log_writer.h"
#include "run/attempts.h"

namespace lapcast {
namespace {

constexpr double kStart = 1'700'000'000;  // of each session, on its machine's clock

/// Returns a session with laps of 1 s, the first of which begins after 2 s, on a machine for
/// `price` dollars an hour.
lapcast::Run session_of_laps(const std::string& id, int laps, Outcome outcome,
                             const char* price = "3600") {
  lapcast::Run run;
  run.context.id = id;
  run.context.machine_type.name = "box";
  run.context.price.emplace();
  run.context.price->price.per_hour = Money::parse(price);
  run.outcome = std::move(outcome);
  run.started_ns = 100'000'000'000;
  run.ended_ns = run.started_ns + (2LL + laps) * 1'000'000'000;
  std::string log =
      lap_log_opening({run.started_ns + 2'000'000'000, kStart + 2, 7, 0, 1, "a", "t"});
  for (int lap = 1; lap <= laps; ++lap) log += std::to_string(lap * 1'000'000'000LL) + " i 8\n";
  run.lap_logs = {log};
  return run;
}

outcome::BudgetSpent cut() {
  return {"cut off"};
}

TEST(Sessions, CountEachLapSecondAndDollarOnce) {
  // The checkpoint came after the 6th of 10 laps, and the next session did 4 again and 5 more.
  std::vector<lapcast::Run> runs{session_of_laps("a", 10, cut())};
  note_session(runs[0], {}, ran_until(runs[0], kStart + 2 + 6.3));
  runs.push_back(session_of_laps("b", 9, outcome::Ended{}, "7200"));
  note_session(runs[1], merge_sessions({runs.data(), 1}), Seconds{0});
  const SessionsTraining training = merge_sessions(runs);
  ASSERT_EQ(training.sessions.size(), 2u);
  EXPECT_TRUE(training.ended);
  EXPECT_EQ(training.sessions[0].laps, 6);
  EXPECT_EQ(training.sessions[0].lost_laps, 4);
  EXPECT_EQ(training.laps(), 15);
  EXPECT_EQ(training.lost_laps(), 4);
  EXPECT_DOUBLE_EQ(training.time().count(), 12 + 11);
  EXPECT_NEAR(training.lost().count(), 12 - 8.3, 1e-6);
  // Each second costs a dollar on the first machine, and two on the second.
  EXPECT_EQ(training.cost(), Money::parse("34"));
  EXPECT_NEAR(preparation_time(runs[1], "earlier sessions").count(), 8.3, 1e-6);
  EXPECT_TRUE(is_later_session(runs[1]));
  EXPECT_FALSE(is_later_session(runs[0]));
}

TEST(Sessions, LoseAllWithoutACheckpointOfTheirOwn) {
  lapcast::Run run = session_of_laps("a", 5, cut());
  // An earlier session wrote the newest one.
  EXPECT_EQ(ran_until(run, kStart - 100), Seconds{0});
  note_session(run, {}, Seconds{0});
  const SessionsTraining training = merge_sessions({&run, 1});
  EXPECT_FALSE(training.ended);
  EXPECT_EQ(training.laps(), 0);
  EXPECT_EQ(training.lost_laps(), 5);
  EXPECT_DOUBLE_EQ(training.lost().count(), 7);
}

TEST(Sessions, WithoutACheckpointLoseEvenALapThatEndedAtOnce) {
  lapcast::Run run = session_of_laps("a", 1, cut());
  run.lap_logs = {lap_log_opening({run.started_ns, kStart, 7, 0, 1, "a", "t"}) + "2000000 i 8\n"};
  note_session(run, {}, Seconds{0});
  EXPECT_EQ(merge_sessions({&run, 1}).laps(), 0);
  EXPECT_EQ(merge_sessions({&run, 1}).lost_laps(), 1);
}

TEST(Sessions, HaveTheLapBeforeACheckpointWhoseTimeIsATickEarly) {
  lapcast::Run run = session_of_laps("a", 5, cut());
  note_session(run, {}, ran_until(run, kStart + 2 + 3 - 0.004));
  EXPECT_EQ(merge_sessions({&run, 1}).laps(), 3);
}

TEST(Sessions, WithoutANoteHaveBroughtNothingHome) {
  lapcast::Run run = session_of_laps("a", 5, outcome::Interrupted{});
  run.preparation = {{"send program", Seconds{3}, 100}};
  const SessionsTraining training = merge_sessions({&run, 1});
  EXPECT_EQ(training.laps(), 0);
  EXPECT_DOUBLE_EQ(training.lost().count(), 7);
}

TEST(Sessions, HaveNoCostWhereOneIsNotKnown) {
  std::vector<lapcast::Run> runs{session_of_laps("a", 5, cut()),
                                 session_of_laps("b", 5, outcome::Ended{})};
  runs[0].context.price.reset();
  EXPECT_FALSE(merge_sessions(runs).cost());
  EXPECT_FALSE(merge_sessions(runs).kwh());
}

TEST(Sessions, TakeTheEnergyOfAll) {
  const std::vector<lapcast::Run> runs{session_of_laps("a", 5, cut()),
                                       session_of_laps("b", 5, outcome::Ended{})};
  SessionsTraining training = merge_sessions(runs);
  training.sessions[0].kwh = 0.5;
  EXPECT_FALSE(training.kwh()) << "that of one is not known";
  training.sessions[1].kwh = 0.25;
  EXPECT_EQ(training.kwh(), 0.75);
}

TEST(Sessions, LeaveOutWhatWasNotStarted) {
  std::vector<lapcast::Run> runs{session_of_laps("a", 0, outcome::NotStarted{"no route"}),
                                 session_of_laps("b", 5, outcome::Ended{})};
  const SessionsTraining training = merge_sessions(runs);
  EXPECT_EQ(training.sessions.size(), 1u);
  note_session(runs[1], merge_sessions({runs.data(), 1}), Seconds{0});
  EXPECT_FALSE(is_later_session(runs[1])) << "no session came before it";
}

}  // namespace
}  // namespace lapcast
