#include "remote/agent_protocol.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

ProbeProgress parsed(const std::string& line) {
  const AgentMessage said = parse_agent_message(line);
  EXPECT_TRUE(std::holds_alternative<ProbeProgress>(said)) << line;
  return std::get<ProbeProgress>(said);
}

TEST(AgentProtocol, ProgressIsReadBackAsItWasWritten) {
  ProbeProgress progress{Seconds{12.5}, 100, 3, "lap 100: 2.1 %"};
  EXPECT_EQ(progress_line(progress), "P 12.500 100 3 0 0 - lap 100: 2.1 %\n");
  progress.planned_epochs = 90;
  progress.laps_per_second = 8.25;
  progress.total = Interval<Seconds>{Seconds{10}, Seconds{11}, Seconds{12.25}};
  const std::string line = progress_line(progress);
  EXPECT_EQ(line, "P 12.500 100 3 90 8.25 10.000/11.000/12.250 lap 100: 2.1 %\n");
  const ProbeProgress back = parsed(line.substr(0, line.size() - 1));
  EXPECT_EQ(back.elapsed, progress.elapsed);
  EXPECT_EQ(back.laps, 100);
  EXPECT_EQ(back.epoch, 3);
  EXPECT_EQ(back.planned_epochs, 90);
  EXPECT_EQ(back.laps_per_second, 8.25);
  EXPECT_EQ(back.total->high, Seconds{12.25});
  EXPECT_EQ(back.state, "lap 100: 2.1 %");
}

TEST(AgentProtocol, AWaitIsToldByItsState) {
  EXPECT_TRUE(parsed("P 0 0 0 0 0 - waiting for CPU 1: process 4711 measures on it").waits);
  EXPECT_TRUE(parsed("P 0 0 0 0 0 - waiting in the queue").waits);
  EXPECT_FALSE(parsed("P 1 2 0 0 0 - lap 2: waiting for more").waits);
}

TEST(AgentProtocol, AStateIsOneSafeLine) {
  const std::string line = progress_line({Seconds{0}, 0, 0, "a\nR {}\x1b[2J"});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(parsed("P 0 0 0 0 0 - \x1b[2J").state.find('\x1b'), std::string::npos);
}

TEST(AgentProtocol, DamagedLinesAreNothing) {
  for (const char* line :
       {"P", "P ", "P x", "P 1 2", "P -1 0 0 0 0 - s", "P nan 0 0 0 0 - s", "P 1e300 0 0 0 0 - s",
        "P 1 2 3 4 inf - s", "P 1 2 3 4 5 1/2 s", "P 1 99999999999999999999 0 0 0 - s", "Q", "",
        "B x", "N", "N tool", "N programs", "LL", "X"})
    EXPECT_TRUE(std::holds_alternative<std::monostate>(parse_agent_message(line))) << line;
}

TEST(AgentProtocol, AResultIsReadBackAndADamagedOneIsAReason) {
  lapcast::Run run;
  run.context.id = "0123456789ab";
  run.context.program = {"train"};
  run.outcome = outcome::Enough{"rule"};
  const std::string line = result_line(run);
  const AgentMessage said = parse_agent_message(line.substr(0, line.size() - 1));
  ASSERT_TRUE(std::holds_alternative<lapcast::Run>(said));
  EXPECT_EQ(std::get<lapcast::Run>(said), run);
  EXPECT_TRUE(std::holds_alternative<Reason>(parse_agent_message(line.substr(0, line.size() / 2))));
}

TEST(AgentProtocol, EachAnswerIsReadBackAsItWasWritten) {
  const auto back = [](const std::string& line) {
    return parse_agent_message(std::string_view(line).substr(0, line.size() - 1));
  };
  EXPECT_TRUE(std::holds_alternative<message::SignOfLife>(back(to_line(message::SignOfLife{}))));
  EXPECT_TRUE(std::holds_alternative<message::Accepted>(back(to_line(message::Accepted{}))));
  EXPECT_TRUE(
      std::holds_alternative<message::LacksProgram>(back(to_line(message::LacksProgram{}))));
  EXPECT_EQ(std::get<message::Started>(back(to_line(message::Started{12}))).clock_ns, 12);
  EXPECT_EQ(to_line(message::Refused{"a\x1b\nb"}).find('\n'),
            to_line(message::Refused{"a\x1b\nb"}).size() - 1);
  EXPECT_EQ(std::get<message::Refused>(back("X no\x1b[2Jone\n")).why.find('\x1b'),
            std::string::npos);
  EXPECT_EQ(std::get<message::LacksLapcast>(back("N tool Linux riscv64\n")).architecture,
            "Linux riscv64");
}

TEST(AgentProtocol, ATaskIsAskedForWithTheWordsOfItsKind) {
  using Kind = AgentTask::Kind;
  EXPECT_EQ(agent_arguments({Kind::begin, "runs/3fb0"}),
            (std::vector<std::string>{"agent", "begin", "runs/3fb0"}));
  EXPECT_EQ(agent_arguments({Kind::follow, "runs/3fb0", 17}),
            (std::vector<std::string>{"agent", "follow", "runs/3fb0", "--from", "17"}));
  EXPECT_EQ(agent_arguments({Kind::checks, "."})[1], agent_task_words().back());
}

TEST(AgentProtocol, QuestionsAndClocksAreReadBackAsTheyWereWritten) {
  const auto back = [](const CheckQuestion& asked) {
    const std::string line = to_line(asked);
    return parse_question(std::string_view(line).substr(0, line.size() - 1));
  };
  EXPECT_TRUE(std::holds_alternative<question::Clock>(back(question::Clock{})));
  EXPECT_TRUE(std::holds_alternative<question::Facts>(back(question::Facts{})));
  EXPECT_EQ(std::get<question::Take>(back(question::Take{262144})).bytes, 262144);
  for (const char* bad : {"", "take", "take -1", "take 99999999999999999999", "clocks"})
    EXPECT_TRUE(std::holds_alternative<std::monostate>(parse_question(bad))) << bad;
  EXPECT_EQ(clock_answer(1'700'000'000), "clock 1700000000\n");
  EXPECT_EQ(parse_clock_answer("clock 1700000000"), 1'700'000'000);
  for (const char* bad : {"clock", "clock -1", "clock 0", "clock 9x", "took"})
    EXPECT_EQ(parse_clock_answer(bad), std::nullopt) << bad;
}

TEST(AgentProtocol, FactsAreReadBackAsTheyWereWritten) {
  MachineFacts facts;
  facts.machine.host = "box";
  facts.machine.threads = 8;
  facts.machine.accelerators = {
      {"nvidia", "NVIDIA H200", "550.54", 1 << 30, "", "9.0", 16896, "12.4"}};
  facts.folder = "/home/me/.cache/lapcast";
  facts.disk_free_bytes = 5'000'000'000;
  facts.disk_bytes = 9'000'000'000;
  facts.python = "3.11.2";
  facts.torch = "2.13.0+cpu";
  facts.programs = {"rsync", "sbatch"};
  const auto back = parse_facts(facts_lines(facts));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, facts);
}

TEST(AgentProtocol, FactsThatAreCutOffAreAReasonAndHostileOnesHarmless) {
  const std::string lines = facts_lines({});
  EXPECT_FALSE(parse_facts(""));
  EXPECT_FALSE(parse_facts(lines.substr(0, lines.size() - 4)));
  EXPECT_FALSE(parse_facts("machine {}\nend\n"));
  EXPECT_FALSE(parse_facts("end\n"));
  const auto facts =
      parse_facts("torch \x1b[2J\ndisk -5\ndisk_free 99999999999999999999\n" + lines);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->torch.find('\x1b'), std::string::npos);
  EXPECT_EQ(facts->disk_free_bytes, 0);
}

TEST(LineBuffer, ReturnsWholeLinesHoweverTheyCome) {
  LineBuffer lines;
  EXPECT_EQ(lines.next(), std::nullopt);
  for (const char c : std::string("ab\n\ncd")) lines.append(std::string_view(&c, 1));
  EXPECT_EQ(lines.next(), "ab");
  EXPECT_EQ(lines.next(), "");
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_EQ(lines.taken(), 4);
  lines.append("e\nf");
  EXPECT_EQ(lines.next(), "cde");
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_EQ(lines.taken(), 8);
}

TEST(LineBuffer, TakesNoMoreOfALineThatIsTooLong) {
  LineBuffer lines(4);
  lines.append("ab\nabcd");
  EXPECT_EQ(lines.next(), "ab");
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_FALSE(lines.is_too_long());
  lines.append("e");
  EXPECT_TRUE(lines.is_too_long());
  lines.append("\nf\n");
  EXPECT_EQ(lines.next(), std::nullopt);
}

TEST(LineBuffer, ReturnsTheRestBehindTheLastLine) {
  LineBuffer lines;
  lines.append("a\nbc");
  EXPECT_EQ(lines.next(), "a");
  EXPECT_EQ(lines.take_rest(), "bc");
  EXPECT_EQ(lines.take_rest(), "");
  lines.append("d\n");
  EXPECT_EQ(lines.next(), "d");
}

TEST(AgentProtocol, EarlierAttemptsAreReadAsTheyWereWritten) {
  const message::EarlierAttempts written{
      {{Seconds{10.5}, Seconds{2.25}}, {Seconds{3}, Seconds{0}}}};
  EXPECT_EQ(to_line(written), "A 10.500 2.250 3.000 0.000\n");
  const AgentMessage read = parse_agent_message("A 10.500 2.250 3.000 0.000");
  EXPECT_EQ(std::get<message::EarlierAttempts>(read).attempts, written.attempts);
  for (const char* damaged : {"A 1", "A 1 2", "A  ", "A -1 0", "A 1 x", "A nan 0", "A 1e300 0"})
    EXPECT_TRUE(std::holds_alternative<std::monostate>(parse_agent_message(damaged))) << damaged;
}

}  // namespace
}  // namespace lapcast
