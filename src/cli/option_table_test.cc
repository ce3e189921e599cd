#include "cli/option_table.h"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>

#include "core/units.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Options {
  bool all = false;
  std::int64_t epochs = 0;
  std::string device = "cpu";
  std::vector<std::string> files;
  std::vector<std::int64_t> sizes;
  std::optional<Seconds> budget;
  double share = 0;
};

class OptionTable : public ::testing::Test {
 protected:
  OptionTable() {
    add_options(command_,
                {{"--all", &options_.all, "everything"},
                 {"--epochs N", &options_.epochs, "how long", {.most = 10, .excludes = "--all"}},
                 {"--device", &options_.device, "on what", {.one_of = "cpu|cuda"}},
                 {"-f,--file FILE", &options_.files, "files", {.needs = "--all"}},
                 {"--sizes N,N", &options_.sizes, "sizes", {.comma_separated = true}},
                 {"-b,--budget TIME",
                  parsed(options_.budget, above_zero(parse_duration, "60s"), "60s"), "how long"},
                 {"--share SHARE", parsed(options_.share, parse_share), "how much"}});
  }
  void parse(const std::string& line) { command_.parse(line); }

  Options options_;
  CLI::App command_;
};

TEST_F(OptionTable, SetsTheTargets) {
  parse("--all --device cuda -f a b --sizes 1,2");
  EXPECT_TRUE(options_.all);
  EXPECT_EQ(options_.device, "cuda");
  EXPECT_THAT(options_.files, ElementsAre("a", "b"));
  EXPECT_THAT(options_.sizes, ElementsAre(1, 2));
}

TEST_F(OptionTable, RefusesWhatTheDetailsExclude) {
  for (const char* line : {"--epochs 0", "--epochs 11", "--device tpu", "--epochs 3 --all", "-f a"})
    EXPECT_THROW(parse(line), CLI::ParseError) << line;
}

TEST_F(OptionTable, WhatIsParsedIsSetOnlyWhereItIsGiven) {
  parse("--share 5%");
  EXPECT_EQ(options_.share, 0.05);
  EXPECT_FALSE(options_.budget);
  parse("-b 60s");  // the default itself
  EXPECT_EQ(options_.budget, Seconds{60});
}

TEST_F(OptionTable, NamesTheOptionWhoseTextIsRefused) {
  const auto refusal = [&](const std::string& line) -> std::string {
    try {
      parse(line);
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("--budget soon"),
            "--budget: 'soon' is not a duration; write it like 90s, 1.5m, 2h, 3d or 250ms");
  EXPECT_EQ(refusal("-b 0"), "--budget must be above 0, such as 60s");
  EXPECT_THAT(refusal("--share much"), HasSubstr("--share: 'much' is not a share"));
}

TEST_F(OptionTable, HelpShowsDefaultsThatAreNotEmpty) {
  EXPECT_THAT(command_.help(), HasSubstr("=cpu"));
  EXPECT_THAT(command_.help(), HasSubstr("=60s"));
  EXPECT_THAT(command_.help(), Not(HasSubstr("=0")));
}

}  // namespace
}  // namespace lapcast
