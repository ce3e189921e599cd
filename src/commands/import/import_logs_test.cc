#include "commands/import/import_logs.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace lapcast {
namespace {

/// Returns the lines of a text; a cut line ends in "...".
std::vector<std::string> lines_of(const std::string& text, std::size_t most) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (BoundedLine line; read_line(in, most, line);)
    lines.push_back(line.text + (line.was_cut ? "..." : ""));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(ReadLine, EndsAndEmptyLines) {
  EXPECT_EQ(lines_of("", 9), Lines{});
  EXPECT_EQ(lines_of("a", 9), Lines{"a"});
  EXPECT_EQ(lines_of("a\n", 9), Lines{"a"});
  EXPECT_EQ(lines_of("\n\na\n", 9), (Lines{"", "", "a"}));
  EXPECT_EQ(lines_of(std::string("a\0b\nc", 5), 9), (Lines{std::string("a\0b", 3), "c"}));
}

TEST(ReadLine, KeepsNoMoreThanAskedForAndGoesOnWithTheNextLine) {
  EXPECT_EQ(lines_of("1234\n12345\n1\n", 4), (Lines{"1234", "1234...", "1"}));
  EXPECT_EQ(lines_of("12345", 4), Lines{"1234..."});
}

TEST(ReadLine, LinesLongerThanAPieceAreWhole) {
  for (const std::size_t bytes : {4094u, 4095u, 4096u, 8190u, 8191u, 20'000u}) {
    const std::string text(bytes, 'x');
    EXPECT_EQ(lines_of(text + "\nb", 100'000), (Lines{text, "b"})) << bytes;
    EXPECT_EQ(lines_of(text, 100'000), Lines{text}) << bytes;
    const std::string cut = text.substr(0, 5000) + (bytes > 5000 ? "..." : "");
    EXPECT_EQ(lines_of(text + "\nb", 5000), (Lines{cut, "b"}));
  }
}

}  // namespace
}  // namespace lapcast
