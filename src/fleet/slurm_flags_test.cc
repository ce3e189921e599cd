#include "fleet/slurm_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Returns the arguments of all entries, or the one reason.
std::vector<std::string> read(const std::vector<std::string>& entries) {
  SlurmFlags flags;
  for (const std::string& entry : entries)
    if (const auto added = flags.add(entry); !added) return {"refused: " + added.error().text};
  auto arguments = flags.take();
  if (!arguments) return {"refused: " + arguments.error().text};
  return *arguments;
}

TEST(SlurmFlags, EachOptionBecomesOneArgumentHoweverItIsWritten) {
  EXPECT_THAT(read({"-c", "4", "-c4", "--cpus-per-task", "4", "--cpus-per-task=4"}),
              ElementsAre("--cpus-per-task=4", "--cpus-per-task=4", "--cpus-per-task=4",
                          "--cpus-per-task=4"));
  EXPECT_THAT(read({"--exclusive", "--exclusive=user", "-H", "--nice=-5"}),
              ElementsAre("--exclusive", "--exclusive=user", "--hold", "--nice=-5"));
  EXPECT_THAT(read({"--comment", "a/b c", "--exclude=a[1-2],b"}),
              ElementsAre("--comment=a/b c", "--exclude=a[1-2],b"));
}

TEST(SlurmFlags, WhatNamesACommandOrAFileIsRefusedByName) {
  for (const std::string flag : {"--wrap",
                                 "--task-prolog",
                                 "--task-epilog",
                                 "--prolog",
                                 "--epilog",
                                 "--output",
                                 "--error",
                                 "--input",
                                 "--chdir",
                                 "--export",
                                 "--export-file",
                                 "--bcast",
                                 "--get-user-env",
                                 "--uid",
                                 "--gid",
                                 "--bb",
                                 "--bbf",
                                 "--burst-buffer-file",
                                 "--container",
                                 "--propagate",
                                 "--array",
                                 "--clusters",
                                 "--job-name",
                                 "--dependency",
                                 "--requeue",
                                 "--no-requeue",
                                 "--reboot",
                                 "--mail-user",
                                 "--signal",
                                 "--wait",
                                 "--test-only",
                                 "--parsable",
                                 "--",
                                 "---"}) {
    EXPECT_THAT(read({flag + "=x"}).at(0), HasSubstr("refused: " + flag + " is not passed on"));
    EXPECT_THAT(read({flag, "x"}).at(0), HasSubstr("refused: " + flag + " is not passed on"));
  }
  for (const std::string flag : {"-o", "-e", "-i", "-D", "-J", "-d", "-a", "-M", "-W", "-Z", "-Q"})
    EXPECT_THAT(read({flag + "x"}).at(0), HasSubstr("is not passed on"));
}

TEST(SlurmFlags, AbbreviationsAreRefused) {
  for (const char* flag : {"--wra=x", "--qo=low", "--cpus=4", "--ti=1", "--QOS=low", "--qos =low"})
    EXPECT_THAT(read({flag}).at(0), HasSubstr("is not passed on"));
}

TEST(SlurmFlags, NoValueIsTakenForAnOptionAndNoOptionForAValue) {
  EXPECT_THAT(read({"--comment", "--wrap=x"}).at(0), HasSubstr("--comment lacks its value"));
  EXPECT_THAT(read({"--qos"}).at(0), HasSubstr("--qos lacks its value"));
  EXPECT_THAT(read({"--qos="}).at(0), HasSubstr("--qos has an empty value"));
  EXPECT_THAT(read({"--hold=x"}).at(0), HasSubstr("--hold takes no value"));
  EXPECT_THAT(read({"-Hx"}).at(0), HasSubstr("-H takes no value"));
  // The script that sbatch would run instead of lapcast's.
  EXPECT_THAT(read({"--hold", "/tmp/x.sh"}).at(0), HasSubstr("'/tmp/x.sh' is no option"));
  EXPECT_THAT(read({"--exclusive", "x.sh"}).at(0), HasSubstr("'x.sh' is no option"));
  // Slurm would read such a list from the file.
  EXPECT_THAT(read({"--nodelist=./nodes"}).at(0), HasSubstr("a slash, as a path has"));
  EXPECT_THAT(read({"-x", "/etc/passwd"}).at(0), HasSubstr("a slash, as a path has"));
}

TEST(SlurmFlags, TheListIsInOrderAndHasNoNameTwice) {
  const auto names = allowed_slurm_flags();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace lapcast
