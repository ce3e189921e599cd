#include "retina/prepare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "data/crc32c.h"
#include "data/files_test.h"
#include "data/image_example.h"
#include "retina/drawing.h"
#include "retina/shards.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

class PrepareTest : public FilesTest {
 protected:
  void SetUp() override {
    FilesTest::SetUp();
    RetinaSet set{7, 5, 320, 240, GradeMix::kEven};
    fs::create_directories(in_);
    make_retinas(in_, set, 2);
  }

  PrepareSummary prepare(bool tfrecord = true) {
    PrepareRequest request;
    request.in = in_;
    request.out = out_;
    request.side = 64;
    request.shard = 3;
    request.workers = 2;
    request.tfrecord = tfrecord;
    return prepare_retinas(request, [this](const PrepareSummary& sums) {
      if (sums.done == stop_after_) throw FileError("stopped by the test");
    });
  }

  std::vector<ImageExample> examples() const {
    std::vector<ImageExample> all;
    for (const fs::path& file : tfrecord_files(out_)) {
      ImageExampleReader reader(file);
      while (auto image = reader.next()) all.push_back(std::move(*image));
    }
    return all;
  }

  fs::path in_ = folder_ / "in", out_ = folder_ / "out";
  int64_t stop_after_ = -1;
};

// 64 photographs have 47.03, 4.45, 9.64, 1.59 and 1.29 of the grades of the Kaggle set.
TEST(RetinaGrades, EverySetHasAllInProportion) {
  const auto counts = [](RetinaSet set) {
    std::vector<int> all(5);
    for (const uint8_t grade : grades_of(set)) ++all[grade];
    return all;
  };
  EXPECT_EQ(counts({64}), (std::vector<int>{47, 4, 10, 2, 1}));
  EXPECT_EQ(counts({16}), (std::vector<int>{11, 1, 2, 1, 1}));
  EXPECT_EQ(counts({35126}), (std::vector<int>{25810, 2443, 5292, 873, 708}));
  EXPECT_NE(grades_of({64}), grades_of({64, 2}));
}

TEST_F(PrepareTest, WritesShardsInTheOrderOfTheNames) {
  const PrepareSummary sums = prepare();
  EXPECT_EQ(sums.prepared, 7);
  EXPECT_EQ(sums.shards, 3);
  EXPECT_EQ(tfrecord_files(out_).size(), 3u);
  const std::vector<ImageExample> images = examples();
  ASSERT_EQ(images.size(), 7u);
  EXPECT_EQ(images[0].filename, "1_left.jpeg");
  EXPECT_EQ(images[6].filename, "4_left.jpeg");
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(images[i].label, static_cast<int64_t>(i % 5));
  JpegReader reader;
  Picture photo;
  EXPECT_EQ(reader.open(images[3].encoded).width, 64);
  reader.decode(1, photo);
  EXPECT_LT(photo.row(0)[0], 20);        // the corner lies beyond the disc
  EXPECT_GT(photo.row(32)[3 * 32], 40);  // its middle is bright
}

// Künas 2023: 35,126 photographs are 18 files of 2,000, of which four fifths are 14.
TEST_F(PrepareTest, MadeSetsHaveTheFilesOfTheThesisOrTwenty) {
  EXPECT_EQ(made_shard(35126), 2000);
  EXPECT_EQ((35126 + 1999) / made_shard(35126) * 4 / 5, 14);
  EXPECT_EQ(made_shard(1000), 50);
  EXPECT_EQ(made_shard(19), 1);
}

TEST_F(PrepareTest, SkipsWhatIsNoPhotographWithItsReason) {
  write("in/2_right.jpeg", {});
  write_text("in/3_left.jpeg", "no picture at all");
  const Bytes whole = read(in_ / "1_left.jpeg");
  write("in/1_left.jpeg", Bytes(whole.begin(), whole.begin() + 3000));
  write_text("in/5_left.png", "\x89PNG\r\n\x1a\n and no more");
  write("in/6_left.jpg", whole);  // without a label
  const PrepareSummary sums = prepare();
  EXPECT_EQ(sums.prepared, 4);
  EXPECT_EQ(sums.total, 9);
  ASSERT_EQ(sums.skipped.size(), 5u);
  const auto reason = [&](size_t i) { return sums.skipped[i].reason; };
  EXPECT_EQ(reason(0).substr(0, 18), "no whole JPEG file");
  EXPECT_EQ(reason(1), "the file is empty");
  EXPECT_EQ(reason(2).substr(0, 18), "no whole JPEG file");
  EXPECT_EQ(reason(3), "the labels do not name it");
  EXPECT_EQ(reason(4), "the labels do not name it");
  EXPECT_EQ(examples().size(), 4u);
}

TEST_F(PrepareTest, GoesOnWhereItWasStopped) {
  prepare();
  const std::vector<ImageExample> whole = examples();
  fs::remove_all(out_);
  stop_after_ = 5;  // within the second shard
  EXPECT_THROW(prepare(), FileError);
  EXPECT_EQ(tfrecord_files(out_).size(), 1u);
  stop_after_ = -1;
  const PrepareSummary sums = prepare();
  EXPECT_EQ(sums.earlier, 3);
  EXPECT_EQ(sums.done, 4);
  EXPECT_EQ(sums.prepared, 7);
  const std::vector<ImageExample> resumed = examples();
  ASSERT_EQ(resumed.size(), whole.size());
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(resumed[i].encoded, whole[i].encoded);
  EXPECT_EQ(prepare().done, 0);
}

TEST_F(PrepareTest, WritesJpegFilesAndRefusesOtherSettings) {
  EXPECT_EQ(prepare(false).prepared, 7);
  EXPECT_TRUE(fs::exists(out_ / "1_left.jpeg"));
  try {
    prepare(true);
    FAIL() << "nothing was refused";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("was prepared with size 64, shard 3, format jpeg"),
              std::string::npos)
        << error.what();
  }
}

/// A quarter of 2400x1600 still has more than 64 pixels across; the places must agree.
TEST_F(PrepareTest, FindsTheSameCircleInAReducedPicture) {
  const RetinaPhoto drawn = draw_retina(8, 1, 2, 1200, 800);
  JpegWriter writer(95);
  const auto bytes = writer.write(drawn.photo);
  const fs::path file = write("large.jpeg", {bytes.begin(), bytes.end()});
  const PreparedEye prepared = EyePreparer(64, 95).prepare(file);
  EXPECT_EQ(prepared.reason, "");
  EXPECT_NEAR(prepared.eye.radius, drawn.eye.radius, 0.02 * drawn.eye.radius);
  EXPECT_NEAR(prepared.eye.x, drawn.eye.x, 0.02 * drawn.eye.radius);
}

}  // namespace
}  // namespace lapcast::workloads
