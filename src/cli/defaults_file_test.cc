#include "cli/defaults_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "core/error.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string problem_with(const std::string& toml) {
  try {
    parse_defaults(toml, "lapcast.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(DefaultsFile, HoldsHowToMeasureAndHowResultsLook) {
  EXPECT_THAT(parse_defaults("budget = \"30s\"\nplain = true\nrounds = 2\n", "f"),
              ElementsAre(OptionDefault{"--budget", "30s"}, OptionDefault{"--plain", "true"},
                          OptionDefault{"--rounds", "2"}));
  EXPECT_THAT(parse_defaults("startup-limit = \"30m\"\n", "f"),
              ElementsAre(OptionDefault{"--startup-limit", "30m"}));
  EXPECT_THAT(parse_defaults("", "f"), ElementsAre());
}

TEST(DefaultsFile, NeverSaysWhatIsStartedOrWhere) {
  for (const char* key : {"store", "offers", "setup", "machine", "host", "run-parent", "price",
                          "no-hook", "environment", "program", "fleet", "resume-flag"})
    EXPECT_THAT(problem_with(std::string(key) + " = \"x\"\n"), HasSubstr("is not a default"))
        << key;
  EXPECT_EQ(
      problem_with("\nbugdet = 3\n"),
      "lapcast.toml:2:1: 'bugdet' is not a default that can be set here; did you mean 'budget'?");
  EXPECT_THAT(problem_with("plain = 1\n"),
              HasSubstr("lapcast.toml:1:9: plain: write true or false"));
  EXPECT_THAT(problem_with("budget = [1]\n"), HasSubstr("write text or a number"));
}

TEST(DefaultsFile, GivesWayToTheCommandLine) {
  CLI::App app;
  bool plain = false;
  app.add_flag("--plain", plain);
  CLI::App* const sweep = app.add_subcommand("sweep");
  std::string text;
  sweep->add_option("--budget", text);
  CLI::Option* const race = sweep->add_flag("--race");
  sweep->add_option("--rounds", text)->excludes(race);
  app.add_subcommand("runs");
  const std::vector<OptionDefault> defaults{
      {"--budget", "30s"}, {"--plain", "true"}, {"--rounds", "2"}};
  EXPECT_THAT(with_defaults(app, {"sweep"}, defaults),
              ElementsAre("sweep", "--budget=30s", "--plain", "--rounds=2"));
  EXPECT_THAT(with_defaults(app, {"sweep", "--budget=1s", "--race"}, defaults),
              ElementsAre("sweep", "--budget=1s", "--race", "--plain"));
  EXPECT_THAT(with_defaults(app, {"runs"}, defaults), ElementsAre("runs", "--plain"));
}

TEST(DefaultsFile, CountsNotForHelpAndLaps) {
  CLI::App app;
  app.add_subcommand("lap");
  app.add_subcommand("help");
  app.add_subcommand("runs");
  EXPECT_FALSE(takes_defaults(app, {"lap", "iteration", "8"}));
  EXPECT_FALSE(takes_defaults(app, {"--plain", "help", "runs"}));
  EXPECT_FALSE(takes_defaults(app, {"runs", "--help"}));
  EXPECT_TRUE(takes_defaults(app, {"runs"}));
}

}  // namespace
}  // namespace lapcast
