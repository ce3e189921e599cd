#include "remote/command.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>

namespace lapcast {
namespace {

using namespace std::chrono_literals;

RunningCommand started(const std::vector<std::string>& arguments, const std::string& marker = "") {
  auto command = RunningCommand::start(arguments, marker);
  EXPECT_TRUE(command) << command.error().text;
  return std::move(*command);
}

std::string all_output(RunningCommand& command) {
  std::string output;
  while (!command.ended()) {
    command.wait(1000ms);
    output += command.take_output();
  }
  return output + command.take_output();
}

TEST(RunningCommand, GivesInputAndTakesOutputErrorAndStatus) {
  auto command = started({"sh", "-c", "cat; echo oops >&2; exit 3"});
  command.write("hello ");
  command.write("there");
  command.close_input();
  EXPECT_EQ(all_output(command), "hello there");
  EXPECT_EQ(command.error(), "oops\n");
  EXPECT_EQ(command.status(), 3);
}

TEST(RunningCommand, MoreInputThanAPipeHolds) {
  auto command = started({"cat"});
  const std::string text(3 << 20, 'x');
  command.write(text);
  command.close_input();
  EXPECT_EQ(all_output(command), text);
}

TEST(RunningCommand, OneThatReadsNoInputIsNoTrouble) {
  auto command = started({"true"});
  command.write(std::string(1 << 20, 'x'));
  EXPECT_EQ(all_output(command), "");
  EXPECT_EQ(command.status(), 0);
}

TEST(RunningCommand, DropsAllUpToTheMarkerLine) {
  auto command = started(
      {"sh", "-c", "echo 'junk mark'; echo mark2; echo; echo mark; echo mark; echo x"}, "mark");
  EXPECT_EQ(all_output(command), "mark\nx\n");
  EXPECT_TRUE(command.marker_seen());
}

TEST(RunningCommand, WithoutTheMarkerThereIsNoOutput) {
  auto command = started({"sh", "-c", "echo junk"}, "mark");
  EXPECT_EQ(all_output(command), "");
  EXPECT_FALSE(command.marker_seen());
}

TEST(RunningCommand, ASignalIsAStatusAbove128) {
  auto command = started({"sh", "-c", "kill -KILL $$"});
  all_output(command);
  EXPECT_EQ(command.status(), 128 + SIGKILL);
}

TEST(RunningCommand, WaitingEndsWhenTheTimeIsOver) {
  auto command = started({"sleep", "60"});
  command.wait(1ms);
  EXPECT_FALSE(command.ended());
  command.end();
  all_output(command);
  EXPECT_EQ(command.status(), 128 + SIGTERM);
}

TEST(RunningCommand, ItCanBeEndedAtOnce) {
  for (int i = 0; i < 20; ++i) {
    auto command = started({"sleep", "3"});
    command.end();
    all_output(command);
    EXPECT_EQ(command.status(), 128 + SIGTERM);
  }
}

TEST(RunningCommand, WhatIsLeftByItsChildrenIsNotWaitedFor) {
  auto command = started({"sh", "-c", "sleep 60 & echo $!"});
  const std::string pid = all_output(command);
  EXPECT_EQ(command.status(), 0);
  kill(std::stoi(pid), SIGKILL);
}

TEST(RunningCommand, OneThatIsNotThereIsAReason) {
  const auto command = RunningCommand::start({"no-such-program"});
  ASSERT_FALSE(command);
  EXPECT_NE(command.error().text.find("no-such-program not found"), std::string::npos);
}

TEST(RunningCommand, PiecesAreAskedForOneByOne) {
  auto command = started({"cat"});
  command.write("first");
  int asked = 0;
  command.write_pieces([&] { return ++asked <= 100 ? std::string(1 << 15, 'x') : std::string(); });
  EXPECT_LT(asked, 100);  // a pipe holds some of them
  command.close_input();
  EXPECT_EQ(all_output(command), "first" + std::string(100 << 15, 'x'));
  EXPECT_EQ(asked, 101);
}

}  // namespace
}  // namespace lapcast
