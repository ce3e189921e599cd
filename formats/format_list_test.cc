#include "formats/format_list.h"

#include <gtest/gtest.h>

#include <set>

namespace lapcast {
namespace {

constexpr FormatKind kKinds[] = {FormatKind::log, FormatKind::price_list, FormatKind::runs,
                                 FormatKind::task, FormatKind::report};

TEST(FormatList, HasEachNameOnceInItsKind) {
  for (const FormatKind kind : kKinds) {
    std::set<std::string_view> names;
    for (const FileFormat* format : formats_of(kind)) {
      EXPECT_TRUE(names.insert(format->name).second) << format->name;
      EXPECT_EQ(find_format(kind, format->name), format);
      EXPECT_FALSE(format->what.empty()) << format->name;
    }
    EXPECT_FALSE(names.empty());
  }
}

TEST(FormatList, HasWhatACommandOfTheKindCanUse) {
  for (const FileFormat* format : formats_of(FormatKind::log))
    EXPECT_LE(format->use.index(), 2u) << format->name;
  for (const FileFormat* format : formats_of(FormatKind::price_list))
    EXPECT_TRUE(std::holds_alternative<PriceListFormat>(format->use)) << format->name;
  for (const FileFormat* format : formats_of(FormatKind::runs))
    EXPECT_TRUE(std::holds_alternative<BeginRuns>(format->use) ||
                std::holds_alternative<FilePerRun>(format->use))
        << format->name;
}

TEST(FormatList, NamesDoNotCrossKinds) {
  EXPECT_EQ(find_format(FormatKind::log, "vantage"), nullptr);
  EXPECT_EQ(find_format(FormatKind::price_list, "yaml"), nullptr);
  EXPECT_NE(find_format(FormatKind::log, "tensorboard"),
            find_format(FormatKind::runs, "tensorboard"));
  EXPECT_EQ(names_of_formats(FormatKind::runs), "tensorboard|chrome-trace");
  EXPECT_EQ(names_of_formats(FormatKind::log, ", "),
            "mllog, dawnbench, tensorboard, keras-csv, stopwatch");
}

}  // namespace
}  // namespace lapcast
