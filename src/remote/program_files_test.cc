#include "remote/program_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "probe/folder_test.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Files : public FolderTest {
 protected:
  void put(const std::string& path, const std::string& text = "x") const {
    std::filesystem::create_directories((folder_ / path).parent_path());
    write_text(folder_ / path, text);
  }
  ProgramFiles look(const std::vector<DataSet>& data = {},
                    const std::vector<std::filesystem::path>& left_out = {}) const {
    const auto files = program_files(folder_, data, left_out);
    EXPECT_TRUE(files) << files.error().text;
    return *files;
  }
};

TEST_F(Files, TakesWhatTheRulesLeaveSorted) {
  put("train.py");
  put("lib/b.py");
  put("lib/a.py", "four");
  put(".git/config");
  put(".env");
  put("out/x.bin");
  put(".lapcastignore", "out/\n");
  std::filesystem::create_directory(folder_ / "empty");
  std::filesystem::create_symlink("train.py", folder_ / "link");
  const ProgramFiles files = look();
  EXPECT_THAT(files.paths,
              ElementsAre(".lapcastignore", "empty", "lib/a.py", "lib/b.py", "link", "train.py"));
  EXPECT_EQ(files.bytes, 5 + 4 + 1 + 8 + 1);  // a link's size is that of its target's name
}

TEST_F(Files, DataAndTheStoreAreNoPartOfIt) {
  put("train.py");
  put("data/x.bin");
  put("runs.db");
  const std::vector<DataSet> data{{"data", 0, DataSource::there}};
  EXPECT_THAT(look(data, {folder_ / "runs.db"}).paths, ElementsAre("train.py"));
}

TEST_F(Files, TheContentChangesWithEachFileAndWithDataThatAreSent) {
  put("train.py", "one");
  put("data/x", "1");
  const std::vector<DataSet> sent{{"data", 0, DataSource::send}};
  const std::string first = look(sent).content;
  EXPECT_EQ(look(sent).content, first);
  put("data/x", "12");
  const std::string second = look(sent).content;
  EXPECT_NE(second, first);
  put("train.py", "three");
  EXPECT_NE(look(sent).content, second);
  const std::vector<DataSet> there{{"data", 0, DataSource::there}};
  const std::string third = look(there).content;
  put("data/x", "123");
  EXPECT_EQ(look(there).content, third);
}

TEST_F(Files, ItsNameThereSaysWhereItIs) {
  put("train.py");
  const std::string name = look().name;
  EXPECT_TRUE(name.starts_with(folder_.filename().string().substr(0, 12))) << name;
  EXPECT_EQ(name.size(), folder_.filename().string().size() + 17);
}

TEST_F(Files, TheHomeAndWhatIsAboveItIsNeverSent) {
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  setenv("HOME", (folder_ / "home").c_str(), 1);
  std::filesystem::create_directories(folder_ / "home" / "program");
  EXPECT_TRUE(program_files(folder_ / "home" / "program", {}));
  for (const auto& folder : {folder_ / "home", folder_, std::filesystem::path("/")}) {
    const auto files = program_files(folder, {});
    ASSERT_FALSE(files);
    EXPECT_THAT(files.error().text, HasSubstr("lapcast does not send"));
  }
  setenv("HOME", home.c_str(), 1);
}

TEST_F(Files, OneThatIsTooLargeSaysWhatIsLarge) {
  put("train.py");
  put("data/huge.bin");
  std::filesystem::resize_file(folder_ / "data/huge.bin", kMostProgramBytes + 1);  // no block of it
  const auto files = program_files(folder_, {});
  ASSERT_FALSE(files);
  EXPECT_THAT(files.error().text, HasSubstr("data (2.0 GiB)"));
  EXPECT_THAT(files.error().text, HasSubstr(".lapcastignore"));
}

}  // namespace
}  // namespace lapcast
