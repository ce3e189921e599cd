#include "history/compile_starts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "run/compile_caches.h"

namespace lapcast {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns a stopped run of 100 steps: 2 s of init, a first lap of so many seconds, then 40 laps of
/// 0.1 s. Its one cache had 5 files, to which `added` came.
lapcast::Run run_of(const std::string& id, double first_s, int added) {
  lapcast::Run run;
  run.context.id = id;
  run.context.program = {"./train"};
  run.context.plan.steps = 100;
  run.outcome = outcome::Enough{"a test"};
  std::string log = "lapcast-laps 1\n0 hello clock=2000000000 pid=1 host=box\n";
  run.context.machine.host = "box";
  std::int64_t at = static_cast<std::int64_t>(first_s * 1e9);
  log += fmt::format("{} i 0\n", at);
  for (int i = 0; i < 40; ++i) log += fmt::format("{} i 0\n", at += 100'000'000);
  run.ended_ns = 2'000'000'000 + at;
  run.lap_logs = {log, "lapcast-laps 1\n0 hello clock=0 pid=2 host=box\n" +
                           compile_cache_line({"inductor", 5, added})};
  return run;
}

// Cold: 2 s + 8.1 s + 99 laps of 0.1 s, which is 20 s; warm: 2 s + 1.1 s + 9.9 s, which is 13 s.
TEST(CompileStarts, OfARunThatCompiledAreThoseOfWarmRuns) {
  const lapcast::Run cold = run_of("c", 8.1, 300), warm = run_of("w", 1.1, 0);
  const Assessment own = assess(cold);
  const std::vector<lapcast::Run> both{cold, warm};
  const Assessment made = with_compiled_code(own, cold, both);
  ASSERT_TRUE(made.forecast);
  EXPECT_NEAR(made.forecast->total.mid.count(), own.forecast->total.mid.count() - 7, 1e-6);
  EXPECT_THAT(made.profile->notes,
              Contains(AllOf(HasSubstr("compiled for about 7.00 s, inductor (300 files) grew"),
                             HasSubstr("with cold caches, as on a fresh machine, 20"))));
}

TEST(CompileStarts, WithoutAWarmRunHoldBothCases) {
  const lapcast::Run cold = run_of("c", 8.1, 300);
  const Assessment own = assess(cold);
  const Assessment made = with_compiled_code(own, cold, {});
  ASSERT_TRUE(made.forecast);
  // 8 s of warm-up shrink to 2.4 s.
  EXPECT_NEAR(made.forecast->total.mid.count(), own.forecast->total.mid.count() - 5.6, 1e-6);
  EXPECT_LE(made.forecast->total.low.count(), 13);
  EXPECT_GE(made.forecast->total.high.count(), 20);
  EXPECT_THAT(made.profile->notes, Contains(HasSubstr("it compiled in its start")));
}

// A second run that compiled again shows that the caches do not help.
TEST(CompileStarts, OfAProgramThatCompilesAlwaysStay) {
  const lapcast::Run first = run_of("f", 8.1, 300), second = run_of("s", 8.1, 300);
  const Assessment own = assess(second);
  const std::vector<lapcast::Run> both{first, second};
  const Assessment made = with_compiled_code(own, second, both);
  EXPECT_EQ(made.forecast->total, own.forecast->total);
  EXPECT_THAT(made.profile->notes, IsEmpty());
}

// A validation of 6 s before the first lap compiles: 1.8 s stay of it, 2.4 s of the warm-up. Later
// ones are taken to last 0.4 of what stays, not of the 6 s.
TEST(CompileStarts, AValidationBeforeTheFirstLapIsPartOfThem) {
  lapcast::Run run = run_of("c", 14.1, 300);
  std::string& log = run.lap_logs[0];
  const std::string hello = "host=box\n";
  log.insert(log.find(hello) + hello.size(), "0 validation-begin\n6000000000 validation-end 0\n");
  run.context.plan.validate_every = 50;
  const Assessment own = assess(run);
  const Assessment made = with_compiled_code(own, run, {});
  ASSERT_TRUE(made.forecast);
  const auto time = [&](const Assessment& of, PartKind kind) {
    return part_of(*of.forecast, kind).time;
  };
  EXPECT_NEAR(time(own, PartKind::init).mid.count(), 8, 1e-6);
  EXPECT_NEAR(time(made, PartKind::init).mid.count(), 3.8, 1e-6);
  EXPECT_NEAR(time(made, PartKind::warm_up).mid.count(), 2.4, 1e-6);
  EXPECT_NEAR(time(made, PartKind::validation).mid / time(own, PartKind::validation).mid, 0.3,
              1e-9);
  EXPECT_GE(time(made, PartKind::warm_up).high.count(), 2.4 + 0.7 * 14);  // nothing was in a cache
  EXPECT_EQ(made.profile->init, own.profile->init);
}

TEST(CompileStarts, OfAWarmRunStayAndTellTheColdCase) {
  const lapcast::Run cold = run_of("c", 8.1, 300), warm = run_of("w", 1.1, 0);
  const Assessment own = assess(warm);
  const std::vector<lapcast::Run> both{cold, warm};
  const Assessment made = with_compiled_code(own, warm, both);
  EXPECT_EQ(made.forecast->total.mid, own.forecast->total.mid);
  EXPECT_THAT(made.profile->notes, Contains(HasSubstr("with cold caches, as on a fresh machine")));
}

TEST(CompileStarts, WithoutKnownCachesStayAsTheyAre) {
  lapcast::Run old = run_of("c", 8.1, 300);
  old.lap_logs.pop_back();
  const Assessment own = assess(old);
  const Assessment made = with_compiled_code(own, old, {});
  EXPECT_EQ(made.forecast->total.mid, own.forecast->total.mid);
  EXPECT_THAT(made.profile->notes, IsEmpty());
}

}  // namespace
}  // namespace lapcast
