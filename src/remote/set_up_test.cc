#include "remote/set_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

using testing::HasSubstr;

class SetUp : public FolderTest {
 protected:
  SetUp() {
    request_.probe.context.id = "0123456789ab";
    request_.work = "program";
    request_.content = "aa";
    std::filesystem::create_directories(folder_ / "work" / "program");
  }
  Result<std::optional<PreparationStep>> run() {
    return set_up(record_, request_, interrupt_, [this](const std::string& what) { told_ = what; });
  }
  std::string text() const { return text_of(folder_ / "work" / "program" / "log"); }

  Interrupt interrupt_;
  RemoteRequest request_;
  RecordFolder record_{folder_ / "runs" / "0123456789ab"};
  std::string told_;
};

TEST_F(SetUp, RunsOncePerCommandAndContentInTheProgramsFolder) {
  request_.probe.place_setup.setup = "echo one >> log";
  auto first = run();
  ASSERT_TRUE(first) << first.error().text;
  EXPECT_EQ((*first)->what, "set-up");
  EXPECT_EQ(*run(), std::nullopt);
  request_.content = "bb";
  EXPECT_TRUE(run()->has_value());
  request_.probe.place_setup.setup = "echo two >> log";
  EXPECT_TRUE(run()->has_value());
  EXPECT_EQ(text(), "one\none\ntwo\n");
}

TEST_F(SetUp, RunsAgainWhenWhatItFetchedIsGone) {
  request_.probe.place_setup.setup = "echo one >> log; touch fetched";
  request_.probe.place_setup.data = {{"fetched", 0, DataSource::setup},
                                     {"digits", 0, DataSource::on_machine}};
  EXPECT_TRUE(run()->has_value());
  EXPECT_EQ(*run(), std::nullopt);
  std::filesystem::remove(folder_ / "work" / "program" / "fetched");
  EXPECT_TRUE(run()->has_value());
  EXPECT_EQ(text(), "one\none\n");
}

TEST_F(SetUp, WithoutACommandThereIsNothingToDo) {
  EXPECT_EQ(*run(), std::nullopt);
}

TEST_F(SetUp, OneThatFailedIsAReasonAndRunsAgain) {
  request_.probe.place_setup.setup = "echo x >> log; echo cannot reach the mirror >&2; exit 7";
  for (int i = 0; i < 2; ++i) {
    const auto failed = run();
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().text, HasSubstr("exit status 7: cannot reach the mirror"));
  }
  EXPECT_EQ(text(), "x\nx\n");
}

TEST_F(SetUp, OfACommandNothingIsOnACommandLine) {
  request_.probe.place_setup.setup =
      "key='open sesame'\ncat >unread; tr '\\0' ' ' </proc/$$/cmdline >log; echo \"$# $key\" >> "
      "log";
  ASSERT_TRUE(run()->has_value());
  EXPECT_THAT(text(), HasSubstr("0 open sesame\n"));
  EXPECT_EQ(text().find("sesame"), text().rfind("sesame"));
}

TEST_F(SetUp, DataThatAreNotThereAreNamed) {
  request_.probe.place_setup.data = {{"digits", 0, DataSource::on_machine}};
  ASSERT_TRUE(missing_data(record_, request_));
  EXPECT_THAT(missing_data(record_, request_)->text, HasSubstr("digits"));
  std::filesystem::create_directory(folder_ / "work" / "program" / "digits");
  EXPECT_EQ(missing_data(record_, request_), std::nullopt);
}

}  // namespace
}  // namespace lapcast
