#include "probe/hook_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>
#include <vector>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using namespace std::string_view_literals;

constexpr HookFile kFiles[] = {{"lapcast/__init__.py", "laps = 1\n"},
                               {"lapcast/py.typed", ""},
                               {"sitecustomize.py", "import lapcast  # \0 caf\xc3\xa9\n"sv}};

class HookFolder : public FolderTest {
 protected:
  HookFolder() { fs::create_directory(own()); }
  fs::path cache() const { return folder_ / "cache"; }
  fs::path own() const { return folder_ / "own"; }
  fs::path unpack() const { return unpack_hook(kFiles, cache(), own()).value(); }

  static void expect_whole(const fs::path& folder) {
    for (const HookFile& file : kFiles) EXPECT_EQ(text_of(folder / file.path), file.text);
  }
  std::size_t entries_of_cache() const {
    const fs::directory_iterator entries(cache() / "lapcast");
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }
};

TEST_F(HookFolder, IsUnpackedPrivatelyIntoTheCache) {
  const fs::path folder = unpack();
  EXPECT_EQ(folder, cache() / "lapcast" / hook_folder_name(kFiles));
  expect_whole(folder);
  for (const fs::path& path : {cache(), cache() / "lapcast", folder, folder / "lapcast"})
    EXPECT_EQ(fs::status(path).permissions(), fs::perms(0700)) << path;
  EXPECT_EQ(fs::status(folder / "sitecustomize.py").permissions(), fs::perms(0600));
  EXPECT_EQ(entries_of_cache(), 1U);
  EXPECT_TRUE(fs::is_empty(own()));
}

TEST_F(HookFolder, IsUsedAgainAsItIs) {
  const fs::path folder = unpack();
  const auto before = fs::last_write_time(folder / "sitecustomize.py");
  write_text(folder / "compiled", "by Python");
  EXPECT_EQ(unpack(), folder);
  EXPECT_EQ(fs::last_write_time(folder / "sitecustomize.py"), before);
  EXPECT_TRUE(fs::exists(folder / "compiled"));
}

TEST_F(HookFolder, ADamagedOneIsReplaced) {
  const fs::path folder = unpack();
  write_text(folder / "sitecustomize.py", "import lap");
  EXPECT_EQ(unpack(), folder);
  expect_whole(folder);
  fs::remove(folder / "lapcast/py.typed");
  EXPECT_EQ(unpack(), folder);
  expect_whole(folder);
  EXPECT_EQ(entries_of_cache(), 1U);
}

TEST_F(HookFolder, AFileThatOthersMayWriteIsNotTrusted) {
  const fs::path folder = unpack();
  fs::permissions(folder / "sitecustomize.py", fs::perms(0666));
  EXPECT_EQ(unpack(), folder);
  EXPECT_EQ(fs::status(folder / "sitecustomize.py").permissions(), fs::perms(0600));
}

TEST_F(HookFolder, ALinkInItsPlaceIsNotFollowed) {
  const fs::path folder = unpack();
  fs::rename(folder, folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", folder);
  EXPECT_EQ(unpack(), own() / "hook");
}

TEST_F(HookFolder, WhereOthersMayWriteItIsUnpackedBesideTheRunFolder) {
  for (const fs::path& open : {cache(), cache() / "lapcast"}) {
    fs::create_directories(cache() / "lapcast");
    fs::permissions(open, fs::perms(0777));
    EXPECT_EQ(unpack(), own() / "hook") << open;
    expect_whole(own() / "hook");
    fs::remove_all(own() / "hook");
    fs::remove_all(cache());
  }
}

TEST_F(HookFolder, WithoutACacheItIsUnpackedBesideTheRunFolder) {
  write_text(cache(), "a file");
  EXPECT_EQ(unpack(), own() / "hook");
  EXPECT_EQ(unpack_hook(kFiles, "", folder_ / "other").value(), folder_ / "other/hook");
  EXPECT_EQ(unpack_hook(kFiles, "/proc/no", folder_ / "third").value(), folder_ / "third/hook");
}

TEST_F(HookFolder, ANameThatPythonPathCannotHoldIsAReason) {
  EXPECT_EQ(unpack_hook(kFiles, folder_ / "a:b", own()).value(), own() / "hook");
  EXPECT_THAT(unpack_hook(kFiles, "", folder_ / "a:b").error().text, HasSubstr("PYTHONPATH"));
}

TEST_F(HookFolder, NowhereToWriteIsAReason) {
  EXPECT_THAT(unpack_hook(kFiles, "", "/proc/nowhere").error().text,
              HasSubstr("cannot write /proc/nowhere/hook/lapcast/__init__.py"));
}

TEST_F(HookFolder, ManyAtOnceAgree) {
  std::vector<std::thread> lapcasts;
  std::vector<fs::path> folders(8);
  for (fs::path& folder : folders) lapcasts.emplace_back([&] { folder = unpack(); });
  for (std::thread& lapcast : lapcasts) lapcast.join();
  for (const fs::path& folder : folders)
    EXPECT_EQ(folder, cache() / "lapcast" / hook_folder_name(kFiles));
  expect_whole(folders.front());
  EXPECT_EQ(entries_of_cache(), 1U);
}

TEST_F(HookFolder, ItsNameChangesWithEveryByte) {
  constexpr HookFile other_text[] = {kFiles[0], kFiles[1], {"sitecustomize.py", "import lapcast"}};
  constexpr HookFile other_path[] = {{"lapcast/a.py", kFiles[0].text}, kFiles[1], kFiles[2]};
  constexpr HookFile moved_text[] = {{"lapcast/__init__.pyl", "aps = 1\n"}, kFiles[1], kFiles[2]};
  const std::string name = hook_folder_name(kFiles);
  EXPECT_EQ(name, hook_folder_name(kFiles));
  for (const auto& files : {other_text, other_path, moved_text})
    EXPECT_NE(hook_folder_name(std::span(files, 3)), name);
}

TEST(UserCacheFolder, FollowsTheEnvironment) {
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  setenv("XDG_CACHE_HOME", "/var/cache/ann", 1);
  EXPECT_EQ(user_cache_folder(), "/var/cache/ann");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/home/ann", 1);
  EXPECT_EQ(user_cache_folder(), "/home/ann/.cache");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "", 1);
  EXPECT_EQ(user_cache_folder(), "");
  setenv("HOME", home.c_str(), 1);
}

TEST(HookFiles, AreThoseOfTheSources) {
  for (const HookFile& file : hook_files()) {
    const fs::path source = fs::path(LAPCAST_SOURCE_DIR) / "python";
    fs::path path = source / file.path;
    if (!fs::exists(path)) path = source / "hook" / file.path;
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_EQ(text, file.text) << path;
  }
}

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
  const SpawnSpec spec = launch_spec({.context = context_}, run_folder_, fs::path());
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
    return launch_spec({.context = context_}, run_folder_, fs::path("/hook"))
        .environment.at("PYTHONPATH");
  };
  unsetenv("PYTHONPATH");
  EXPECT_EQ(python_path(), "/hook");  // "/hook:" would add the working folder
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
