#include "query/program_content.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace lapcast {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ProgramContentTest : public testing::Test {
 protected:
  ProgramContentTest() {
    std::string name = (fs::temp_directory_path() / "lapcast-content-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    write("run",
          "\x7f"
          "ELF binary");
    fs::permissions(folder_ / "run", fs::perms::owner_all);
  }
  ~ProgramContentTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  ProgramContent content(std::vector<std::string> program,
                         std::map<std::string, std::string> settings = {}) const {
    RunContext context;
    context.program = std::move(program);
    context.settings = std::move(settings);
    context.working_dir = folder_.string();
    return program_content({context});
  }
  std::vector<std::string> names(std::vector<std::string> program,
                                 std::map<std::string, std::string> settings = {}) const {
    std::vector<std::string> names;
    for (const auto& [name, hash] : content(std::move(program), std::move(settings)))
      names.push_back(name);
    return names;
  }
  fs::path folder_;
};

TEST_F(ProgramContentTest, HasWhatTheArgumentsName) {
  for (const char* file : {"train.py", "conf.yaml", "data.bin", "train_a.py", "tool.sh"})
    write(file, "x");
  write("no-extension", "#!/bin/sh\n");
  write("with blank.py", "x");
  EXPECT_THAT(
      names({"./run", "train.py", "--config=conf.yaml", "--data", "data.bin", "no-extension",
             "with blank.py"}),
      UnorderedElementsAre("run", "train.py", "conf.yaml", "no-extension", "with blank.py"));
  EXPECT_THAT(names({"./run", "-c", "exec 'tool.sh';./train.py"}),
              UnorderedElementsAre("run", "tool.sh", "train.py"));
  EXPECT_THAT(names({"./run", "train_{model}.py"}, {{"model", "a"}}),
              UnorderedElementsAre("run", "train_a.py"));
  EXPECT_THAT(names({"./not-here", "absent.py", "/dev/zero", "/dev/stdin", "."}), IsEmpty());
}

TEST_F(ProgramContentTest, HasWhatScriptsImportFromTheirFolders) {
  write("src/train.py",
        "import os, helper\nfrom pkg.layers import dense\nfrom pkg import tail\n"
        "from plain.deep import thing\n");
  write("src/helper.py", "import only_in_working_dir");
  write("only_in_working_dir.py", "");
  write("src/pkg/__init__.py", "");
  write("src/pkg/layers.py", "from . import sibling\nfrom ..outside import x\n");
  write("src/pkg/sibling.py", "");
  write("src/pkg/tail.py", "");
  write("src/pkg/unused.py", "");
  write("src/outside.py", "");
  write("src/plain/deep/thing.cpython-311-x86_64-linux-gnu.so",
        "\x7f"
        "ELF");
  write("src/checkpoint.pt", "");
  EXPECT_THAT(names({"./run", "src/train.py"}),
              UnorderedElementsAre("run", "src/train.py", "src/helper.py", "only_in_working_dir.py",
                                   "src/pkg/__init__.py", "src/pkg/layers.py", "src/pkg/sibling.py",
                                   "src/pkg/tail.py", "src/outside.py",
                                   "src/plain/deep/thing.cpython-311-x86_64-linux-gnu.so"));
}

TEST_F(ProgramContentTest, HasTheModuleOfDashM) {
  write("pkg/__init__.py", "");
  write("pkg/train.py", "from .model import Net");
  write("pkg/model.py", "");
  EXPECT_THAT(names({"./run", "-m", "pkg.train", "--epochs", "3"}),
              UnorderedElementsAre("run", "pkg/__init__.py", "pkg/train.py", "pkg/model.py"));
}

TEST_F(ProgramContentTest, FollowsScriptsThatNameOthers) {
  write("go.sh", "#!/bin/sh\n. ./settings.sh\nexec ./run \"$@\" # see notes.txt\n");
  write("settings.sh", "sh go.sh");  // a circle
  write("notes.txt", "");
  EXPECT_THAT(names({"sh", "go.sh"}), testing::IsSupersetOf({"go.sh", "settings.sh", "run"}));
}

TEST_F(ProgramContentTest, LinksInACircleEndIt) {
  fs::create_directory_symlink(".", folder_ / "self");
  write("train.py", "from self.self.self import train\nfrom .self import train, other");
  write("other.py", "import self.self.train");
  EXPECT_EQ(names({"./run", "train.py"}).size(), 3u);
}

TEST_F(ProgramContentTest, ChangesWithTheBytesAndWithNothingElse) {
  write("train.py", "import lib");
  write("lib.py", "a = 1");
  write("conf.yaml", "a: 1");
  const std::vector<std::string> program{"./run",     "train.py", "--config",
                                         "conf.yaml", "--out",    "o.yaml"};
  const ProgramContent before = content(program);
  fs::last_write_time(folder_ / "lib.py", fs::file_time_type::clock::now() + std::chrono::hours(1));
  write("o.yaml", "written by the program");
  write("best.pt", "checkpoint");
  EXPECT_THAT(changed_files(before, content(program)), IsEmpty());
  write("lib.py", "a = 2");
  write("conf.yaml", "a: 2");
  EXPECT_THAT(changed_files(before, content(program)), ElementsAre("conf.yaml", "lib.py"));
  fs::remove(folder_ / "train.py");
  EXPECT_THAT(changed_files(before, content(program)),
              ElementsAre("conf.yaml", "lib.py", "train.py"));
}

TEST_F(ProgramContentTest, NamesOfFilesAreSafeToShow) {
  write("evil\x1b[2J.py", "x");
  EXPECT_THAT(names({"./run", "evil\x1b[2J.py"}), UnorderedElementsAre("run", "evil?.py"));
}

TEST(NamedInText, AreWordsAndModules) {
  const NamedInText named = named_in("exec 'a.py' --config=b.yaml;. ../x.sh -m pkg.mod ./ ..");
  EXPECT_THAT(named.words,
              ElementsAre("exec", "a.py", "--config", "b.yaml", "../x.sh", "-m", "pkg.mod"));
  EXPECT_THAT(named.modules, ElementsAre("pkg.mod"));
}

}  // namespace
}  // namespace lapcast
