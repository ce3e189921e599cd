#include "choose/compile_starts.h"

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
