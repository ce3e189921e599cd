#include "probe/processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace lapcast {
namespace {

char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t at = text.rfind(')');
  return at == std::string::npos ? '?' : text[at + 2];
}

bool becomes(pid_t pid, bool stopped) {
  for (int i = 0; i < 500 && (state_of(pid) == 'T') != stopped; ++i) usleep(10'000);
  return (state_of(pid) == 'T') == stopped;
}

/// Starts a child with a grandchild in a session of its own; both wait for ever.
struct Family {
  Family() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    child = fork();
    if (child == 0) {
      setpgid(0, 0);
      const pid_t pid = fork();
      if (pid == 0) {
        setsid();
        const pid_t self = getpid();
        [[maybe_unused]] const ssize_t written = write(ends[1], &self, sizeof self);
      }
      while (true) pause();
    }
    EXPECT_EQ(read(ends[0], &grandchild, sizeof grandchild),
              static_cast<ssize_t>(sizeof grandchild));
    close(ends[0]);
    close(ends[1]);
  }
  ~Family() {
    kill(grandchild, SIGKILL);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  pid_t child = -1;
  pid_t grandchild = -1;
};

TEST(Suspension, StopsDescendantsWhereverTheyMoved) {
  const Family family;
  Suspension suspension;
  suspension.begin(family.child);
  EXPECT_TRUE(suspension.active());
  EXPECT_TRUE(becomes(family.child, true));
  EXPECT_TRUE(becomes(family.grandchild, true));
  EXPECT_GT(suspension.peak_memory_bytes(), 0);
  suspension.end(family.child);
  EXPECT_TRUE(becomes(family.child, false));
  EXPECT_TRUE(becomes(family.grandchild, false));
  EXPECT_EQ(suspension.pauses().size(), 1u);
}

TEST(Suspension, OfNoProcessIsNoError) {
  Suspension suspension;
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  waitpid(ended, nullptr, 0);
  suspension.begin(ended);
  EXPECT_EQ(suspension.peak_memory_bytes(), 0);
  suspension.end(ended);
}

TEST(Workers, AreCopiesOfAnotherOfTheProcesses) {
  const Family family;
  const pid_t other = fork();
  if (other == 0) {
    execl("/bin/sleep", "sleep", "600", nullptr);
    _exit(1);
  }
  const auto runs_sleep = [&] {
    std::ifstream file("/proc/" + std::to_string(other) + "/cmdline");
    return std::string((std::istreambuf_iterator<char>(file)), {}).starts_with("sleep");
  };
  for (int i = 0; i < 500 && !runs_sleep(); ++i) usleep(10'000);
  EXPECT_EQ(workers_among({family.child, family.grandchild}), std::vector{family.grandchild});
  EXPECT_EQ(workers_among({getpid(), family.child, family.grandchild, other}),
            (std::vector{family.child, family.grandchild}));
  kill(other, SIGKILL);
  EXPECT_TRUE(workers_among({other}).empty());
  waitpid(other, nullptr, 0);
}

}  // namespace
}  // namespace lapcast
