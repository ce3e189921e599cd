#include "cli/view/live_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lapcast {
namespace {

/// As much of a terminal as LiveLine and plain programs need: 5 rows that scroll.
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

// A progress bar: it writes over its own line, which never ends.
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

}  // namespace
}  // namespace lapcast
