#include "common/command_line.h"

#include <gtest/gtest.h>

namespace lapcast::workloads {
namespace {

struct Values {
  int64_t batch = 128;
  int64_t zero_is_off = 0;
  uint64_t seed = 1;
  double rate = 0.5;
  std::string device = "cpu";
  std::filesystem::path data;
  bool verbose = false;
};

CommandLine command_line_of(Values& values) {
  CommandLine line("train", "Trains something.", "  train --data digits\n");
  line.count("batch", values.batch, "Samples per iteration");
  line.number("off", values.zero_is_off, 0, 5, "Off");
  line.seed("seed", values.seed, "Seed");
  line.real("rate", values.rate, 0, 1, "Rate");
  line.choice("device", values.device, {"cpu", "cuda"}, "Where");
  line.path("data", values.data, "DIR", "Data");
  line.flag("verbose", values.verbose, "More");
  return line;
}

int parse(Values& values, std::vector<std::string> words) {
  std::string program = "train";
  std::vector<char*> argv{program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  const int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  return command_line_of(values).parse(argc, argv.data());
}

std::string refusal(std::vector<std::string> words) {
  Values values;
  testing::internal::CaptureStderr();
  EXPECT_EQ(parse(values, std::move(words)), 2);
  return testing::internal::GetCapturedStderr();
}

TEST(CommandLine, TakesValuesInBothForms) {
  Values values;
  EXPECT_EQ(parse(values, {"--batch", "32", "--rate=0.25", "--device", "cuda", "--data", "a b",
                           "--verbose", "--seed=18446744073709551615", "--off", "0"}),
            -1);
  EXPECT_EQ(values.batch, 32);
  EXPECT_EQ(values.rate, 0.25);
  EXPECT_EQ(values.device, "cuda");
  EXPECT_EQ(values.data, "a b");
  EXPECT_EQ(values.seed, ~uint64_t{0});
  EXPECT_TRUE(values.verbose);
}

TEST(CommandLine, KeepsWhatWasNotSaid) {
  Values values;
  EXPECT_EQ(parse(values, {}), -1);
  EXPECT_EQ(values.batch, 128);
  EXPECT_EQ(values.device, "cpu");
  EXPECT_FALSE(values.verbose);
}

TEST(CommandLine, RefusesInOneLine) {
  EXPECT_EQ(refusal({"--batch", "0"}),
            "train: --batch 0: must be a number from 1 to 2147483647; see train --help\n");
  EXPECT_EQ(refusal({"--batch", "12x"}),
            "train: --batch 12x: must be a number from 1 to 2147483647; see train --help\n");
  EXPECT_EQ(refusal({"--rate", "nan"}),
            "train: --rate nan: must be a number from 0 to 1; see "
            "train --help\n");
  EXPECT_EQ(refusal({"--device", "tpu"}),
            "train: --device tpu: must be one of cpu, cuda; see train --help\n");
  EXPECT_EQ(refusal({"--batch"}), "train: --batch needs a value; see train --help\n");
  EXPECT_EQ(refusal({"--verbose=yes"}),
            "train: no such option, or not in this form: --verbose=yes; see train --help\n");
  EXPECT_EQ(refusal({"--nothing"}),
            "train: no such option, or not in this form: --nothing; see train --help\n");
  EXPECT_EQ(refusal({"12"}), "train: not an option: 12; see train --help\n");
}

TEST(CommandLine, HelpNamesTypesDefaultsAndExamples) {
  Values values;
  const std::string help = command_line_of(values).help();
  EXPECT_NE(help.find("Usage: train [OPTIONS]"), std::string::npos);
  EXPECT_NE(help.find("  --batch N                   Samples per iteration (default: 128)\n"),
            std::string::npos)
      << help;
  EXPECT_NE(help.find("  --off N                     Off\n"), std::string::npos) << help;
  EXPECT_NE(help.find("  --device cpu|cuda           Where (default: cpu)\n"), std::string::npos);
  EXPECT_NE(help.find("Examples:\n  train --data digits\n"), std::string::npos);
}

}  // namespace
}  // namespace lapcast::workloads
