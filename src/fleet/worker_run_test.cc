#include "fleet/worker_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lapcast {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;

ProbeRequest request() {
  ProbeRequest request;
  request.context.id = "3fb09c61d2aa";
  request.context.program = {"./train"};
  request.context.started_at = "2026-11-20T12:00:00Z";
  return request;
}

TEST(AsRunOf, AHostSaysWhatHappenedAndNotWhoseRunItIs) {
  lapcast::Run sent;
  sent.context.id = "another";
  sent.context.program = {"rm"};
  sent.context.sweep = "77e1";
  sent.context.started_at = "2026-11-20T13:00:00Z";
  sent.context.machine.cores = 4;
  sent.lap_logs = {"laps"};
  const lapcast::Run run = as_run_of(request(), sent);
  EXPECT_EQ(run.context.id, "3fb09c61d2aa");
  EXPECT_EQ(run.context.program, std::vector<std::string>{"./train"});
  EXPECT_EQ(run.context.sweep, "");
  EXPECT_EQ(run.context.started_at, "2026-11-20T13:00:00Z");
  EXPECT_EQ(run.context.machine.cores, 4);
  EXPECT_EQ(run.lap_logs, sent.lap_logs);
  EXPECT_TRUE(run.warnings.empty());
}

TEST(AsRunOf, AClockAndADescriptionThatCannotBeCostNoLaps) {
  lapcast::Run sent;
  sent.context.started_at = "9999-11-20T13:00:00Z";
  sent.context.machine.cores = -4;
  sent.lap_logs = {"laps"};
  const lapcast::Run run = as_run_of(request(), sent);
  EXPECT_EQ(run.context.started_at, "2026-11-20T12:00:00Z");  // when it was sent
  EXPECT_EQ(run.context.machine.cores, 0);
  EXPECT_EQ(run.lap_logs, sent.lap_logs);
  EXPECT_THAT(run.warnings, Contains(HasSubstr("machine.cores is negative")));
  EXPECT_THAT(run.warnings, Contains(HasSubstr("started_at is not a time")));
}

/// Returns a scope for each test process, so that tests run beside each other.
std::string scope() {
  return "lapcast-test-" + std::to_string(::getpid());
}

bool is_free(int cpu) {
  return CpuLock::acquire({cpu}, {}, milliseconds{0}, scope()).has_value();
}

TEST(CpuLock, HoldsUntilItEnds) {
  {
    const auto lock = CpuLock::acquire({3, 1}, {}, milliseconds{0}, scope());
    ASSERT_TRUE(lock);
    EXPECT_FALSE(is_free(1));
    EXPECT_TRUE(is_free(2));
    EXPECT_FALSE(is_free(3));
  }
  EXPECT_TRUE(is_free(1));
  EXPECT_TRUE(is_free(3));
}

TEST(CpuLock, NamesTheHolder) {
  const auto lock = CpuLock::acquire({0}, {}, milliseconds{0}, scope());
  const auto second = CpuLock::acquire({0}, {}, milliseconds{0}, scope());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().text, "no longer waiting for CPU 0: process " +
                                     std::to_string(::getpid()) + " measures on it");
}

TEST(CpuLock, KeepsNoneWhenOneCannotBeHad) {
  const auto lock = CpuLock::acquire({5}, {}, milliseconds{0}, scope());
  EXPECT_FALSE(CpuLock::acquire({4, 5}, {}, milliseconds{0}, scope()));
  EXPECT_TRUE(is_free(4));
}

TEST(CpuLock, TheWaitingCanGiveUp) {
  const auto lock = CpuLock::acquire({0}, {}, milliseconds{0}, scope());
  std::string said;
  const auto second = CpuLock::acquire(
      {0},
      [&](const std::string& message) {
        said = message;
        return false;
      },
      std::nullopt, scope());
  ASSERT_FALSE(second);
  EXPECT_THAT(said, HasSubstr("waiting for CPU 0: process "));
  EXPECT_THAT(second.error().text, HasSubstr("gave up"));
}

TEST(CpuLock, WaitsUntilItIsFree) {
  auto first =
      std::make_unique<Result<CpuLock>>(CpuLock::acquire({0}, {}, milliseconds{0}, scope()));
  const auto second = CpuLock::acquire(
      {0},
      [&](const std::string&) {
        first.reset();
        return true;
      },
      std::nullopt, scope());
  EXPECT_TRUE(second);
}

TEST(CpuLock, IsFreeOnceItsHolderWasKilled) {
  const std::string name = scope();
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = CpuLock::acquire({0}, {}, milliseconds{0}, name);
    [[maybe_unused]] const auto written = ::write(ready[1], lock ? "1" : "0", 1);
    ::pause();
    ::_exit(0);
  }
  char held = 0;
  ASSERT_EQ(::read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, '1');
  EXPECT_FALSE(is_free(0));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(is_free(0));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(CpuLock, NoSetMeansEveryCpuThatMayBeUsed) {
  const auto lock = CpuLock::acquire({}, {}, milliseconds{0}, scope());
  ASSERT_TRUE(lock);
  EXPECT_FALSE(CpuLock::acquire({}, {}, milliseconds{0}, scope()));
}

}  // namespace

}  // namespace lapcast
