#include "probe/compiler_folders.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

VariableOf only(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
}

TEST(CompilerFolders, AreTheUsualOnesOrThoseOfVariables) {
  const auto usual = compiler_folders(only({{"HOME", "/home/eva"}, {"USER", "eva"}}));
  EXPECT_THAT(usual, Contains(CompilerFolder{"inductor", "/tmp/torchinductor_eva"}));
  EXPECT_THAT(usual, Contains(CompilerFolder{"Triton", "/home/eva/.triton/cache"}));
  EXPECT_THAT(usual, Contains(CompilerFolder{"CUDA", "/home/eva/.nv/ComputeCache"}));
  for (const CompilerFolder& each : usual) EXPECT_NE(each.compiler, "XLA");  // it has no usual one
  const auto named = compiler_folders(only({{"TORCHINDUCTOR_CACHE_DIR", "/a"},
                                            {"TRITON_CACHE_DIR", "/b"},
                                            {"CUDA_CACHE_PATH", "/c"},
                                            {"JAX_COMPILATION_CACHE_DIR", "/d"}}));
  EXPECT_THAT(named, ElementsAre(CompilerFolder{"inductor", "/a"}, CompilerFolder{"Triton", "/b"},
                                 CompilerFolder{"CUDA", "/c"}, CompilerFolder{"XLA", "/d"}));
  for (const CompilerFolder& each :
       compiler_folders(only({{"JAX_COMPILATION_CACHE_DIR", "gs://bucket/cache"}})))
    EXPECT_NE(each.compiler, "XLA");  // it is on no file system
}

class CompilerFoldersTest : public FolderTest {};

TEST_F(CompilerFoldersTest, CountTheFilesThatWereAdded) {
  std::filesystem::create_directories(folder_ / "inductor/ab");
  write_text(folder_ / "inductor/ab/one", "");
  std::filesystem::create_directories(folder_ / "empty");
  const CompilerFolders folders({{"inductor", folder_ / "inductor"},
                                 {"Triton", folder_ / "triton"},
                                 {"CUDA", folder_ / "empty"},
                                 {"XLA", folder_ / "absent"}});
  EXPECT_THAT(folders.look_again(), ElementsAre(CompileCache{"inductor", 1, 0}));
  write_text(folder_ / "inductor/ab/two", "");
  std::filesystem::create_directories(folder_ / "triton");
  write_text(folder_ / "triton/kernel", "");
  EXPECT_THAT(folders.look_again(),
              ElementsAre(CompileCache{"inductor", 1, 1}, CompileCache{"Triton", 0, 1}));
}

TEST(TemporaryFiles, OfPythonHaveRandomNames) {
  EXPECT_TRUE(is_temporary_of_python(std::filesystem::temp_directory_path() / "tmpn_4dbgsh.ptx"));
  EXPECT_FALSE(is_temporary_of_python(std::filesystem::temp_directory_path() / "tmp_model.pt"));
  EXPECT_FALSE(is_temporary_of_python("/home/eva/tmpn_4dbgsh.ptx"));
}

TEST(CompilerPrefixes, HaveTheCachesAndTemporaryFiles) {
  EXPECT_THAT(compiler_prefixes(only({{"HOME", "/home/eva"}, {"USER", "eva"}})),
              ::testing::IsSupersetOf({"/tmp/torchinductor_", "/home/eva/.triton/cache/"}));
}

}  // namespace
}  // namespace lapcast
