#include "core/lower_case.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(LowerCase, ChangesTheLettersOfAsciiAlone) {
  EXPECT_EQ(lower_case("A100 SXM4-80GB_\xc3\x84"), "a100 sxm4-80gb_\xc3\x84");
  EXPECT_EQ(lower_case(""), "");
}

TEST(LettersAndDigits, LeavesOutAllElse) {
  EXPECT_EQ(letters_and_digits("A100 SXM4-80GB_\xc3\x84"), "a100sxm480gb");
  EXPECT_EQ(letters_and_digits(" -/."), "");
}

}  // namespace
}  // namespace lapcast
