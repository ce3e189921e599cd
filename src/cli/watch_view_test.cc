#include "cli/watch_view.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lapcast {
namespace {

/// Behaves like a terminal, as far as LiveLine and plain programs need one: 5 rows that scroll.
class Terminal {
 public:
  void write(std::string_view text) {
    while (!text.empty()) text.remove_prefix(take(text));
  }
  std::string screen() const {
    std::string all;
    for (const std::string& row : rows_) all += row + "|";
    return all;
  }

 private:
  std::size_t take(std::string_view text) {
    const auto is = [&](std::string_view sequence) { return text.starts_with(sequence); };
    if (is("\0337")) return saved_ = {row_, column_}, 2;
    if (is("\0338")) return row_ = saved_.first, column_ = saved_.second, 2;
    if (is("\033D")) return down(), 2;
    if (is("\033[A")) return row_ -= row_ > 0 ? 1 : 0, 3;
    if (is("\033[B")) return row_ += row_ + 1 < rows_.size() ? 1 : 0, 3;
    if (is("\033[K")) return rows_[row_].resize(std::min(column_, rows_[row_].size())), 3;
    if (is("\r")) return column_ = 0, 1;
    if (is("\n")) return column_ = 0, down(), 1;  // the line discipline adds the \r
    std::string& row = rows_[row_];
    row.resize(std::max(row.size(), column_ + 1), ' ');
    row[column_++] = text[0];
    return 1;
  }
  void down() {
    if (row_ + 1 < rows_.size()) {
      ++row_;
    } else {
      rows_.erase(rows_.begin());
      rows_.emplace_back();
    }
  }
  std::vector<std::string> rows_ = std::vector<std::string>(5);
  std::size_t row_ = 0, column_ = 0;
  std::pair<std::size_t, std::size_t> saved_;
};

class LiveLineTest : public ::testing::Test {
 protected:
  void program(std::string_view text) {
    terminal_.write(live_.hide());
    terminal_.write(text);
    live_.passed(text);
  }
  void show(std::string_view line) { terminal_.write(live_.show(line)); }

  LiveLine live_;
  Terminal terminal_;
};

TEST_F(LiveLineTest, IsWrittenOverByItself) {
  show("epoch 1, a longer line");
  show("epoch 2");
  EXPECT_EQ(terminal_.screen(), "epoch 2|||||");
}

TEST_F(LiveLineTest, WholeLinesOfTheProgramScrollAboveIt) {
  for (const char* line : {"a\n", "b\n", "c\n", "d\n", "e\n", "f\n"}) {
    program(line);
    show("live");
  }
  EXPECT_EQ(terminal_.screen(), "c|d|e|f|live|");
}

// The program shows a progress bar: it writes over its own line, which never ends.
TEST_F(LiveLineTest, ALineThatIsNotEndedStaysTheProgramsOwn) {
  program("start\n");
  for (const char* bar : {"\r10% #", "\r20% ##", "\r30% ###"}) {
    program(bar);
    show("live");
  }
  EXPECT_EQ(terminal_.screen(), "start|30% ###|live|||");
  program(" done\nnext");
  show("live");
  EXPECT_EQ(terminal_.screen(), "start|30% ### done|next|live||");
}

TEST_F(LiveLineTest, AtTheLastRowTheScreenScrollsForIt) {
  program("a\nb\nc\nd\ne");
  show("live");
  EXPECT_EQ(terminal_.screen(), "b|c|d|e|live|");
  program("f");
  show("live");
  EXPECT_EQ(terminal_.screen(), "b|c|d|ef|live|");
}

TEST_F(LiveLineTest, NothingOfItIsLeft) {
  program("a\nhalf");
  show("live");
  terminal_.write(live_.hide());
  terminal_.write(live_.new_row());
  terminal_.write("warning\n");
  EXPECT_EQ(terminal_.screen(), "a|half|warning|||");
  EXPECT_EQ(live_.hide(), "");
  EXPECT_EQ(live_.new_row(), "");
}

TEST_F(LiveLineTest, NeitherACharacterNorAnEscapeSequenceIsBroken) {
  for (const char* begun : {"\xe2", "\xe2\x96", "\xf0\x9f\x9a", "50 \x1b", "\x1b[", "\x1b[1;3",
                            "\x1b]0;title", "\x1b]0;title\x1b", "\x1b("}) {
    LiveLine line;
    line.passed(begun);
    EXPECT_FALSE(line.may_show()) << begun;
  }
  for (const char* whole : {"\xe2\x96\x88", "\xff\x1b[0m", "\x80", "\x1b[1;32m", "\x1bM", "a",
                            "\x1b]0;title\a", "\x1b]0;title\x1b\\", "\x1b(B"}) {
    LiveLine line;
    line.passed(whole);
    EXPECT_TRUE(line.may_show()) << whole;
  }
  live_.passed("\xe2");
  live_.passed("\x96\x88");
  EXPECT_TRUE(live_.may_show());
}

Offer offer() {
  Offer offer;
  offer.price = {Money::parse("3.60")};
  offer.billing = {0, 0};
  return offer;
}

ProbeProgress under_way() {
  ProbeProgress progress;
  progress.elapsed = Seconds{100};
  progress.laps = 400;
  progress.epoch = 3;
  progress.planned_epochs = 12;
  progress.laps_per_second = 4.125;
  progress.total = {Seconds{390}, Seconds{400}, Seconds{420}};
  return progress;
}

TEST(WatchLine, TellsWhereHowFastHowLongAndHowMuch) {
  EXPECT_EQ(watch_line(under_way(), offer()),
            "epoch 3/12, 4.12 laps/s, 5 min 00 s left (4 min 50 s to 5 min 20 s), $0.10 of $0.40 "
            "($0.39 to $0.42)");
  EXPECT_EQ(watch_line(under_way(), std::nullopt),
            "epoch 3/12, 4.12 laps/s, 5 min 00 s left (4 min 50 s to 5 min 20 s)");
}

TEST(WatchLine, ManyLapsASecondHaveNoExponent) {
  ProbeProgress progress = under_way();
  progress.laps_per_second = 1234;
  EXPECT_TRUE(watch_line(progress, std::nullopt).starts_with("epoch 3/12, 1234 laps/s, "));
}

TEST(WatchLine, TellsHowBusyTheGpusAre) {
  ProbeProgress progress = under_way();
  progress.gpus = {{.number = 0, .busy_percent = 97}, {.number = 1, .busy_percent = 0}};
  progress.state = "a state";
  EXPECT_TRUE(watch_line(progress, offer()).ends_with("($0.39 to $0.42), GPUs 97 % 0 %; a state"));
}

TEST(WatchLine, WithoutAForecastItTellsTheClockAndWhy) {
  ProbeProgress progress = under_way();
  progress.total.reset();
  progress.planned_epochs = 0;
  progress.state = "how long to train is not known";
  EXPECT_EQ(watch_line(progress, offer()),
            "epoch 3, 4.12 laps/s, 1 min 40 s so far, $0.10; how long to train is not known");
}

TEST(WatchLine, WithoutLapsThereIsStillTimeAndMoney) {
  ProbeProgress progress;
  progress.elapsed = Seconds{50};
  progress.state = "no laps yet";
  EXPECT_EQ(watch_line(progress, offer()), "50.0 s so far, $0.05; no laps yet");
}

}  // namespace
}  // namespace lapcast
