#include "probe/checkpoints.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

class Checkpoints : public FolderTest {
 protected:
  void checkpoint(const std::string& name, int written_at) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write_text(folder_ / name, name);
    const timespec times[2] = {{written_at, 0}, {written_at, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (folder_ / name).c_str(), times, 0), 0);
  }
};

TEST_F(Checkpoints, TheNewestCounts) {
  checkpoint("epoch-10.pt", 300);
  checkpoint("epoch-9.pt", 200);
  checkpoint("log.txt", 900);
  EXPECT_EQ(newest_checkpoint(folder_, "epoch-*.pt"), "epoch-10.pt");
  EXPECT_EQ(newest_checkpoint(folder_, "*.ckpt"), std::nullopt);
  EXPECT_EQ(newest_checkpoint(folder_ / "none", "*"), std::nullopt);
}

TEST_F(Checkpoints, OfEqualsTheLastByName) {
  checkpoint("a-2", 100);
  checkpoint("a-1", 100);
  EXPECT_EQ(newest_checkpoint(folder_, "a-*"), "a-2");
}

TEST_F(Checkpoints, MayStandInFolders) {
  checkpoint("checkpoint-100/model.pt", 100);
  checkpoint("checkpoint-200/model.pt", 200);
  EXPECT_EQ(newest_checkpoint(folder_, "checkpoint-*/model.pt"), "checkpoint-200/model.pt");
}

TEST_F(Checkpoints, TheRunFolderIsNoPattern) {
  const auto folder = folder_ / "a[b]*";
  std::filesystem::create_directory(folder);
  write_text(folder / "c.pt", "");
  EXPECT_EQ(newest_checkpoint(folder, "*.pt"), "c.pt");
}

TEST_F(Checkpoints, LinksAreNotFollowed) {
  std::filesystem::create_symlink("/etc/passwd", folder_ / "a.pt");
  EXPECT_EQ(newest_checkpoint(folder_, "*.pt"), std::nullopt);
}

TEST(CheckpointPattern, StaysInTheRunFolder) {
  EXPECT_TRUE(is_checkpoint_pattern("a..b/*.pt"));
  for (const char* pattern : {"", "/etc/*", "../*", "a/../../*", "a/.."})
    EXPECT_FALSE(is_checkpoint_pattern(pattern)) << pattern;
  EXPECT_EQ(newest_checkpoint("/tmp", "../etc/passwd"), std::nullopt);
}

TEST(ResumeArguments, NameTheCheckpointInTheRunFolder) {
  const ResumePlan plan{{"--resume", "{checkpoint}", "--from={checkpoint}!"}, "*"};
  EXPECT_EQ(resume_arguments(plan, "e-3.pt"),
            (std::vector<std::string>{"--resume", "{run_dir}/e-3.pt", "--from={run_dir}/e-3.pt!"}));
}

}  // namespace
}  // namespace lapcast
