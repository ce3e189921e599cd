#include "campaign/cpu_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lapcast {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

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
