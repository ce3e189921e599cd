#include "probe/program_launch.h"

#include <gtest/gtest.h>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

class ProgramLaunch : public FolderTest {
 protected:
  RunFolder run_folder_{folder_, "3fb0"};
  RunContext context_{.id = "3fb0",
                      .program = {"./train", "--out={run_dir}/{run_dir}", "{batch}"},
                      .settings = {{"batch", "32"}}};
};

TEST_F(ProgramLaunch, FillsPlaceholdersAndTellsWhereLapsGo) {
  context_.machine_type.cpus = {1, 3};
  context_.machine_type.environment = {{"CACHE", "{run_dir}/c"}};
  const SpawnSpec spec = launch_spec(context_, run_folder_, "");
  const std::string run = run_folder_.run_dir().string();
  EXPECT_EQ(spec.arguments,
            (std::vector<std::string>{"./train", "--out=" + run + "/" + run, "32"}));
  EXPECT_EQ(spec.environment,
            (std::map<std::string, std::string>{{"CACHE", run + "/c"},
                                                {"LAPCAST_LOG_DIR", run_folder_.lap_dir()},
                                                {"LAPCAST_RUN_DIR", run}}));
  EXPECT_EQ(spec.cpus, (std::vector<int>{1, 3}));
}

TEST_F(ProgramLaunch, TheHookComesBeforeTheUsersPythonPath) {
  const auto python_path = [&] {
    return launch_spec(context_, run_folder_, "/hook").environment.at("PYTHONPATH");
  };
  unsetenv("PYTHONPATH");
  EXPECT_EQ(python_path(), "/hook");
  setenv("PYTHONPATH", "/mine:/too", 1);
  EXPECT_EQ(python_path(), "/hook:/mine:/too");
  context_.machine_type.environment = {{"PYTHONPATH", "/fleet"}};
  EXPECT_EQ(python_path(), "/hook:/fleet");
  context_.machine_type.environment = {{"PYTHONPATH", ""}};
  EXPECT_EQ(python_path(), "/hook");
  unsetenv("PYTHONPATH");
}

}  // namespace
}  // namespace lapcast
