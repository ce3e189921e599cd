#include "cli/subjects.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lapcast {
namespace {

constexpr std::string_view kPage = R"(# A page
## One
text
### Below one
```
# no heading
## Two
```
## Two
end
)";

TEST(Subjects, ASectionEndsBeforeTheNextHeadingOfItsLevel) {
  EXPECT_EQ(section_of(kPage, "One"),
            "## One\ntext\n### Below one\n```\n# no heading\n## Two\n```\n");
  EXPECT_EQ(section_of(kPage, "Below one"), "### Below one\n```\n# no heading\n## Two\n```\n");
  EXPECT_EQ(section_of(kPage, "Two"), "## Two\nend\n");
  EXPECT_EQ(section_of(kPage, "A page"), kPage);
  EXPECT_EQ(section_of(kPage, "Three"), "");
  EXPECT_EQ(section_of("", "One"), "");
}

TEST(Subjects, EachHasItsSectionAndANameOfItsOwn) {
  EXPECT_TRUE(std::ranges::is_sorted(subjects(), {}, &Subject::name));
  for (const Subject& subject : subjects()) {
    EXPECT_FALSE(help_text(pages(), subject.name).value_or("").empty()) << subject.name;
    EXPECT_EQ(std::ranges::count(subjects(), subject.name, &Subject::name), 1) << subject.name;
    EXPECT_EQ(std::ranges::count(pages(), subject.name, &Page::name), 0) << subject.name;
  }
}

}  // namespace
}  // namespace lapcast
