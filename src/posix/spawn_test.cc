#include "posix/spawn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "posix/files.h"

namespace lapcast {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

/// Returns what a process prints on stdout and its wait status.
std::pair<std::string, int> result_of(SpawnSpec spec) {
  Pipe output = std::move(*open_pipe());
  spec.streams[1] = output.write_end.get();
  const Result<pid_t> pid = spawn(spec);
  if (!pid) return {pid.error().text, -1};
  output.write_end.reset();
  std::string text;
  while (read_available(output.read_end.get(), text, text.size() + 1)) {
  }
  return {text, wait_for(*pid)};
}

TEST(Spawn, GivesAProgramItsArgumentsEnvironmentAndFolder) {
  const auto [text, status] = result_of({.arguments = {"sh", "-c", "echo $0 $1 $NEW; pwd", "a b"},
                                         .environment = {{"NEW", "value"}},
                                         .working_dir = "/proc"});
  EXPECT_EQ(text, "a b value\n/proc\n");
  EXPECT_EQ(status, 0);
}

TEST(Spawn, ReplacesAVariableOfTheEnvironment) {
  EXPECT_EQ(result_of({.arguments = {"sh", "-c", "echo $HOME; env | grep -c ^HOME="},
                       .environment = {{"HOME", "/x"}}})
                .first,
            "/x\n1\n");
}

TEST(Spawn, SaysWhichStepFailed) {
  EXPECT_THAT(result_of({.arguments = {"no-such-program-for-lapcast"}}).first,
              HasSubstr("not found on PATH"));
  EXPECT_THAT(result_of({.arguments = {"true"}, .working_dir = "/no/such"}).first,
              HasSubstr("cannot enter the folder /no/such"));
  EXPECT_THAT(result_of({.arguments = {"x"}, .file = "/proc/version"}).first,
              HasSubstr("cannot execute x: Permission denied"));
  EXPECT_THAT(result_of({.arguments = {"true"}, .cpus = {1000}}).first,
              HasSubstr("cannot run on the CPUs 1000"));
  EXPECT_THAT(result_of({}).first, HasSubstr("no program given"));
}

TEST(Spawn, BlocksNoSignalOfAProgramAndIgnoresNone) {
  const auto former = signal(SIGPIPE, SIG_IGN);
  const std::string text =
      result_of({.arguments = {"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"}}).first;
  signal(SIGPIPE, former);
  EXPECT_THAT(text, HasSubstr("SigBlk:\t0000000000000000"));
  const auto ignored = std::stoull(text.substr(text.find("SigIgn:") + 8), nullptr, 16);
  EXPECT_EQ(ignored & (1ULL << (SIGPIPE - 1)), 0u);
}

TEST(Spawn, MakesALeaderBeforeItReturns) {
  for (const auto group : {ProcessGroup::own, ProcessGroup::own_session}) {
    const Result<pid_t> pid = spawn({.arguments = {"sleep", "1000"}, .group = group});
    ASSERT_TRUE(pid);
    EXPECT_EQ(getpgid(*pid), *pid);
    EXPECT_EQ(getsid(*pid) == *pid, group == ProcessGroup::own_session);
    EXPECT_EQ(kill(-*pid, SIGTERM), 0);
    EXPECT_EQ(WTERMSIG(wait_for(*pid)), SIGTERM);
  }
}

TEST(Spawn, RunsAFunctionWithItsResultAsExitStatus) {
  std::string order;
  const auto [text, status] = result_of({.work =
                                             [&] {
                                               order += "work";
                                               write_all(1, order);
                                               return 7;
                                             },
                                         .prepare = [&] { order += "prepare "; }});
  EXPECT_EQ(text, "prepare work");
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(order, "");  // that was in another process
}

TEST(Spawn, AFunctionThatThrowsIsAFailure) {
  EXPECT_EQ(WEXITSTATUS(result_of({.work = []() -> int { throw 1; }}).second), 127);
}

TEST(Spawn, ConnectsStreamsWhateverNumbersTheyHave) {
  // stdin becomes this process's stderr and the other way round.
  const auto [text, status] = result_of(
      {.arguments = {"sh", "-c", "[ /dev/stdin -ef \"$1\" ] && [ /dev/stderr -ef \"$2\" ]", "sh",
                     "/proc/" + std::to_string(getpid()) + "/fd/2",
                     "/proc/" + std::to_string(getpid()) + "/fd/0"},
       .streams = {2, kInheritedStream, 0}});
  EXPECT_EQ(status, 0) << text;
}

TEST(Spawn, KillsTheProcessWhenItsParentDies) {
  Pipe pids = std::move(*open_pipe());
  const auto parent = [&] {
    const Result<pid_t> child =
        spawn({.arguments = {"sleep", "1000"}, .signal_at_parent_death = SIGKILL});
    write_all(pids.write_end.get(), std::to_string(child.value_or(0)));
    return 0;
  };
  const Result<pid_t> pid = spawn({.work = parent});
  ASSERT_TRUE(pid);
  pids.write_end.reset();
  wait_for(*pid);
  std::string child;
  while (read_available(pids.read_end.get(), child, 100)) {
  }
  ASSERT_GT(std::stoi(child), 0);
  const auto is_running = [stat = "/proc/" + child + "/stat"] {
    const std::string state = text_of_file(stat, 4096);  // A zombie waits for the init process.
    return !state.empty() && state.find(") Z ") == std::string::npos;
  };
  for (int i = 0; i < 500 && is_running(); ++i) usleep(10'000);
  EXPECT_FALSE(is_running());
}

constexpr milliseconds kLong{60000};  // not waited for unless something hangs

TEST(OutputOf, ReturnsWhatWasPrinted) {
  EXPECT_EQ(output_of({"printf", "a;b $HOME"}, kLong).value(), "a;b $HOME");
}

TEST(OutputOf, GivesNoInput) {
  EXPECT_EQ(output_of({"cat"}, kLong).value(), "");
}

TEST(OutputOf, SaysThatTheProgramIsNotThere) {
  const auto result = output_of({"no-such-program-for-lapcast"}, kLong);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text, HasSubstr("cannot be started"));
}

TEST(OutputOf, SaysThatItFailed) {
  EXPECT_EQ(output_of({"false"}, kLong).error().text, "false failed");
}

TEST(OutputOf, KillsWhatTakesTooLongWithItsChildren) {
  const auto result = output_of({"sh", "-c", "sleep 1000 & wait"}, milliseconds{30});
  EXPECT_EQ(result.error().text, "sh did not end in time");
}

TEST(OutputOf, KillsWhatClosesItsOutputAndStays) {
  const auto result = output_of({"sh", "-c", "exec >&-; sleep 1000"}, milliseconds{50});
  EXPECT_EQ(result.error().text, "sh did not end in time");
}

TEST(OutputOf, EndsWhatPrintsWithoutEnd) {
  EXPECT_FALSE(output_of({"yes"}, kLong));
}

}  // namespace
}  // namespace lapcast
