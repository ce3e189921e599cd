#include "remote/program_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class Files : public FolderTest {
 protected:
  void put(const std::string& path, const std::string& text = "x") const {
    std::filesystem::create_directories((folder_ / path).parent_path());
    write_text(folder_ / path, text);
  }
  static std::vector<std::string> paths_of(const FileList& list) {
    std::vector<std::string> paths;
    for (const ListedFile& file : list.files)
      paths.push_back(std::string(1, static_cast<char>(file.kind)) + " " + file.path);
    return paths;
  }
  static std::vector<std::string> unsent_of(const FileList& list) {
    std::vector<std::string> paths;
    for (const UnsentFile& file : list.unsent) paths.push_back(file.path);
    return paths;
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
  EXPECT_THAT(paths_of(files.program), ElementsAre("f .lapcastignore", "d empty", "f lib/a.py",
                                                   "f lib/b.py", "l link", "f train.py"));
  EXPECT_EQ(files.program.bytes, 5 + 4 + 1 + 8 + 1);  // a link's size is that of its target's name
  EXPECT_THAT(unsent_of(files.program), ElementsAre(".env", ".git"));
}

TEST_F(Files, AFolderIsListedOnlyWhenNothingAtAllIsInIt) {
  put("keys/id_rsa");
  put("nested/deep/.env");
  put("out/model.bin");
  put("piped/train.py");
  put(".lapcastignore", "*.bin\n");
  std::filesystem::create_directories(folder_ / "nested" / "empty");
  ASSERT_EQ(mkfifo((folder_ / "piped" / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(folder_ / "only");
  ASSERT_EQ(mkfifo((folder_ / "only" / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(paths_of(look().program),
              ElementsAre("f .lapcastignore", "d nested/empty", "f piped/train.py"));
}

TEST_F(Files, LinksAreListedAndNeverFollowed) {
  put("lib/a.py");
  std::filesystem::create_directory_symlink("lib", folder_ / "linked");
  std::filesystem::create_directory_symlink("/etc", folder_ / "absolute");
  EXPECT_THAT(paths_of(look().program), ElementsAre("l absolute", "f lib/a.py", "l linked"));
}

TEST_F(Files, ADataSetIsListedWholeButForSecrets) {
  put(".lapcastignore", "*.bin\n!token.key\n");
  put("data/x.bin");
  put("data/.env");
  put("data/deep/kaggle.json");
  put("data/token.key");
  put("data/.git/config");
  std::filesystem::create_directory(folder_ / "data" / "empty");
  const ProgramFiles files = look({{"data/", 0, DataSource::send}});
  EXPECT_THAT(paths_of(files.program), ElementsAre("f .lapcastignore"));
  ASSERT_EQ(files.data.size(), 1u);
  EXPECT_THAT(paths_of(files.data[0].list), ElementsAre("f data/.git/config", "d data/empty",
                                                        "f data/token.key", "f data/x.bin"));
  EXPECT_THAT(unsent_of(files.data[0].list), ElementsAre("data/.env", "data/deep/kaggle.json"));
  EXPECT_EQ(unsent_warning(files),
            "not sent, by lapcast's default rules: data/.env, data/deep/kaggle.json; to send one, "
            "write !NAME into .lapcastignore");
}

TEST_F(Files, AnAbsoluteDataSetIsListedFromTheFolderAboveIt) {
  put("program/train.py");
  put("data/a");
  const auto files =
      program_files(folder_ / "program", {{(folder_ / "data").string(), 0, DataSource::send}});
  ASSERT_TRUE(files);
  EXPECT_EQ(files->data[0].list.folder, folder_);
  EXPECT_THAT(paths_of(files->data[0].list), ElementsAre("f data/a"));
}

TEST_F(Files, ALinkAboveADataSetThatIsSentIsNoPartOfTheProgram) {
  put("real/digits/x");
  std::filesystem::create_directory_symlink("real", folder_ / "data");
  const std::vector<DataSet> sent{{"data/digits", 0, DataSource::send}};
  EXPECT_TRUE(look(sent).program.files.empty());
  const std::vector<DataSet> there{{"data/digits", 0, DataSource::on_machine}};
  EXPECT_THAT(paths_of(look(there).program), Contains("l data"));
}

TEST_F(Files, IgnoreRulesThatCannotBeReadAreAReason) {
  put("train.py");
  put(".lapcastignore", std::string("d\0a\0", 4));  // as UTF-16
  EXPECT_FALSE(program_files(folder_, {}));
  put(".lapcastignore", std::string((1 << 20) + 1, '#'));
  EXPECT_FALSE(program_files(folder_, {}));
  std::string many;
  for (int i = 0; i < 10'001; ++i) many += "x\n";
  put(".lapcastignore", many);
  EXPECT_FALSE(program_files(folder_, {}));
  std::filesystem::remove(folder_ / ".lapcastignore");
  std::filesystem::create_directory(folder_ / ".lapcastignore");
  EXPECT_FALSE(program_files(folder_, {}));
  std::filesystem::remove(folder_ / ".lapcastignore");
  std::filesystem::create_symlink("nowhere", folder_ / ".lapcastignore");
  EXPECT_FALSE(program_files(folder_, {}));
}

TEST_F(Files, ManyThatAreNotSentAreCounted) {
  for (int i = 0; i < 10; ++i) put(std::to_string(i) + ".key");
  put(".git/config");
  EXPECT_THAT(unsent_warning(look()), HasSubstr("7.key and 3 more; to send one"));
}

TEST_F(Files, DataAndTheStoreAreNoPartOfIt) {
  put("train.py");
  put("data/x.bin");
  put("runs.db");
  const std::vector<DataSet> data{{"data", 0, DataSource::on_machine}};
  EXPECT_THAT(paths_of(look(data, {folder_ / "runs.db"}).program), ElementsAre("f train.py"));
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
  const std::vector<DataSet> there{{"data", 0, DataSource::on_machine}};
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
