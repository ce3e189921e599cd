#include "run/program_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace lapcast {
namespace {

RunContext started_in(std::string folder, std::vector<std::string> program) {
  return {.program = std::move(program), .working_dir = std::move(folder)};
}

TEST(ProgramFolder, OneCommandLineInTwoFoldersIsTwoPrograms) {
  for (const std::vector<std::string>& program : {std::vector<std::string>{"python", "train.py"},
                                                  {"./train"},
                                                  {"mnist-mlp", "/data"},
                                                  {"/usr/bin/python3", "-u", "train.py"},
                                                  {"python", "-m", "trainer"},
                                                  {"torchrun", "--nproc-per-node=2", "train.py"}}) {
    EXPECT_FALSE(is_same_program(started_in("/a", program), started_in("/b", program)));
    EXPECT_TRUE(is_same_program(started_in("/a", program), started_in("/a", program)));
  }
}

TEST(ProgramFolder, AWholePathIsOneProgramEverywhere) {
  for (const std::vector<std::string>& program :
       {std::vector<std::string>{"/opt/train"}, {"python", "-u", "/work/train.py"}}) {
    EXPECT_TRUE(is_same_program(started_in("/a", program), started_in("/b", program)));
    EXPECT_EQ(folder_of_program(started_in("/a", program)), std::nullopt);
  }
}

TEST(ProgramFolder, OtherArgumentsAreAnotherProgram) {
  EXPECT_FALSE(is_same_program(started_in("/a", {"/opt/train"}), started_in("/a", {"/opt/test"})));
}

}  // namespace
}  // namespace lapcast
