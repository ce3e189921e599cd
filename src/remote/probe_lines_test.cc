#include "remote/probe_lines.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

ProbeProgress parsed(const std::string& line) {
  const ProbeLine said = parse_probe_line(line);
  EXPECT_TRUE(std::holds_alternative<ProbeProgress>(said)) << line;
  return std::get<ProbeProgress>(said);
}

TEST(ProbeLines, ProgressThereAndBack) {
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

TEST(ProbeLines, AStateIsOneSafeLine) {
  const std::string line = progress_line({Seconds{0}, 0, 0, "a\nR {}\x1b[2J"});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(parsed("P 0 0 0 0 0 - \x1b[2J").state.find('\x1b'), std::string::npos);
}

TEST(ProbeLines, DamagedProgressIsNothing) {
  for (const char* line : {"P", "P ", "P x", "P 1 2", "P -1 0 0 0 0 - s", "P nan 0 0 0 0 - s",
                           "P 1e300 0 0 0 0 - s", "P 1 2 3 4 inf - s", "P 1 2 3 4 5 1/2 s",
                           "P 1 99999999999999999999 0 0 0 - s", "Q", "", "B 12"})
    EXPECT_TRUE(std::holds_alternative<std::monostate>(parse_probe_line(line))) << line;
}

TEST(ProbeLines, AResultThereAndBackAndADamagedOneIsAReason) {
  lapcast::Run run;
  run.context.id = "0123456789ab";
  run.context.program = {"train"};
  run.outcome = outcome::Enough{"rule"};
  const std::string line = result_line(run);
  const ProbeLine said = parse_probe_line(line.substr(0, line.size() - 1));
  ASSERT_TRUE(std::holds_alternative<lapcast::Run>(said));
  EXPECT_EQ(std::get<lapcast::Run>(said), run);
  EXPECT_TRUE(std::holds_alternative<Reason>(parse_probe_line(line.substr(0, line.size() / 2))));
}

TEST(LineBuffer, GivesWholeLinesHoweverTheyCome) {
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

TEST(LineBuffer, GivesItsRestAway) {
  LineBuffer lines;
  lines.append("a\nbc");
  EXPECT_EQ(lines.next(), "a");
  EXPECT_EQ(lines.take_rest(), "bc");
  EXPECT_EQ(lines.take_rest(), "");
  lines.append("d\n");
  EXPECT_EQ(lines.next(), "d");
}

}  // namespace
}  // namespace lapcast
