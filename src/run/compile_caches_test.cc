#include "run/compile_caches.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CompileCaches, AreKeptInTheLapLogsOfARun) {
  const CompileCache inductor{"inductor", 12, 300}, cuda{"CUDA", 40, 0};
  lapcast::Run run;
  run.lap_logs = {"lapcast-laps 1\n0 hello clock=0 pid=1\n1 i 0\n",
                  "lapcast-laps 1\n0 hello clock=0 pid=2\n" + compile_cache_line(inductor) +
                      compile_cache_line(cuda) + "0 compile-cache CUDA before=1 added=1\n"};
  EXPECT_THAT(compile_caches_of(run), ElementsAre(inductor, cuda));
  EXPECT_EQ(laps_of(run)->laps.size(), 1u);  // a reader of laps skips the lines
  EXPECT_FALSE(laps_of(run)->damage);
  EXPECT_EQ(grown_text(compile_caches_of(run)), "inductor (300 files)");
}

TEST(CompileCaches, SkipWhatIsNoCache) {
  lapcast::Run run;
  run.lap_logs = {
      "\n0 compile-cache <b> before=1 added=1\n0 compile-cache XLA before=-1 added=1\n"
      "0 compile-cache XLA before=1\n0 compile-cache\n0 compile-cache XLA added=1 x"};
  EXPECT_THAT(compile_caches_of(run), IsEmpty());
}

TEST(CompileCaches, SayWhetherTheProgramCompiled) {
  EXPECT_EQ(cache_state_of({}), CacheState::unknown);
  EXPECT_EQ(cache_state_of({{"CUDA", 40, 0}, {"Triton", 0, 1}}), CacheState::cold);
  EXPECT_EQ(cache_state_of({{"CUDA", 40, 0}}), CacheState::warm);
}

}  // namespace
}  // namespace lapcast
