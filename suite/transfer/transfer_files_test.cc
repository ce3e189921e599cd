#include "suite/transfer/transfer_files.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "suite/transfer/piece_runner.h"
#include "suite/transfer/transfer_places.h"
#include "suite/transfer/transfer_report.h"
#include "suite/transfer/transfer_seconds.h"
#include "suite/transfer/transfer_target.h"

namespace lapcast {
namespace {

std::vector<ListedFile> listed(std::size_t count) {
  std::vector<ListedFile> files;
  for (std::size_t i = 0; i < count; ++i)
    files.push_back({std::to_string(i), FileKind::file, static_cast<std::int64_t>(i)});
  return files;
}

TEST(TransferFiles, ArePreparedInPieces) {
  const auto pieces = pieces_of(listed(7), 3, {});
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[1].name, "00001");
  EXPECT_EQ(pieces[1].bytes, 3 + 4 + 5);
  EXPECT_EQ(pieces[2].files, std::vector<std::string>{"6"});
  EXPECT_EQ(usual_piece_files(5), 1U);
  EXPECT_EQ(usual_piece_files(120), 12U);
  EXPECT_EQ(usual_piece_files(35'126), 20U);
}

TEST(TransferFiles, AFileThatAllPiecesNeedIsInEach) {
  TransferInput input{.files = listed(5), .bytes = 0 + 1 + 2 + 3 + 4};
  share_files(input, {"./3", "3"});
  EXPECT_EQ(input.bytes, 0 + 1 + 2 + 4);
  const auto pieces = pieces_of(input.files, 2, input.shared);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].all_files(), (std::vector<std::string>{"0", "1", "3"}));
  EXPECT_EQ(pieces[1].files, (std::vector<std::string>{"2", "4"}));
  EXPECT_EQ(pieces[1].bytes, 2 + 4);
  EXPECT_THROW(share_files(input, {"none"}), Error);
  EXPECT_THROW(share_files(input, {"0", "1", "2", "4"}), Error);
}

TEST(TransferFiles, ASampleIsRandomAndTheSameForItsSeed) {
  const auto names = [](std::uint64_t seed) {
    std::vector<std::string> names;
    for (const ListedFile& file : random_files(listed(1000), 50, seed)) names.push_back(file.path);
    return names;
  };
  EXPECT_EQ(names(1), names(1));
  EXPECT_NE(names(1), names(2));
  const auto sample = names(1);
  EXPECT_EQ(std::set<std::string>(sample.begin(), sample.end()).size(), 50U);
  EXPECT_EQ(random_files(listed(3), 200, 1).size(), 3U);
}

TEST(TransferTarget, IsAHostWithAFolderOrAFolder) {
  const TransferTarget remote = transfer_target("user@gpu-box:~/data/eyes", "");
  EXPECT_EQ(remote.host->name(), "user@gpu-box");
  EXPECT_EQ(remote.folder, "data/eyes");
  EXPECT_TRUE(remote.is_remote);
  EXPECT_EQ(transfer_target("/nowhere/a:b/", "").folder, "/nowhere/a:b");
  EXPECT_FALSE(transfer_target("./a:b", "").is_remote);
  for (const char* bad : {"", "/", "box:", ":data", "box:/", "box:~", "-oX:data", "a b:data"})
    EXPECT_THROW(transfer_target(bad, ""), Error) << bad;
}

TEST(PieceRunner, ReadsTheNamesOfWhatWasMade) {
  EXPECT_EQ(paths_in(std::string_view("./a\0b\n\0\0rest", 12)),
            (std::vector<std::string>{"a", "b\n"}));
  EXPECT_TRUE(paths_in("").empty());
}

TEST(PieceRunner, FillsInPlacesOnce) {
  // A folder may be called as a place is.
  EXPECT_EQ(with_places("{in}:{out}{in}/{piece}",
                        {{"{in}", "/a{out}"}, {"{out}", "{piece}"}, {"{piece}", "00001"}}),
            "/a{out}:{piece}/a{out}/00001");
  EXPECT_EQ(with_places("{in", {{"{in}", "x"}}), "{in");
}

TEST(TransferSeconds, CountFromTheCallsAndTheirProgress) {
  TransferSeconds seconds;
  seconds.take_progress("1000  45%  10.2MB/s  0:00:01 (xfr#3, to-chk=0/10)");
  EXPECT_EQ(seconds.now().sent_bytes, 1000);
  EXPECT_EQ(seconds.now().sent_files, 3);
  seconds.sent(2000, 5);
  seconds.take_progress("500  5%");
  seconds.take_progress("nonsense%");
  seconds.prepared(4);
  EXPECT_EQ(seconds.now(), (TransferSecond{2000, 5, 4}));
  EXPECT_EQ(transfer_csv({{10, 1, 2}, {30, 2, 2}}),
            "second,bytes_per_second,sent_bytes,sent_files,prepared_files\n"
            "1,10,10,1,2\n2,20,30,2,2\n");
}

TEST(TransferFiles, AreCountedByPowersOfTwo) {
  std::vector<SizeCount> sizes;
  for (const std::uintmax_t bytes : {0, 1, 1024, 1025, 2048, 3000}) ++sizes_of(sizes, bytes).files;
  ASSERT_EQ(sizes.size(), 3U);
  EXPECT_EQ(sizes[0].up_to_bytes, 1024);
  EXPECT_EQ(sizes[0].files, 3);
  EXPECT_EQ(sizes[1].files, 2);
  EXPECT_EQ(sizes[2].up_to_bytes, 4096);
}

}  // namespace
}  // namespace lapcast
