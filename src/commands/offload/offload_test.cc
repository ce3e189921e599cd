#include "commands/offload/offload.h"

#include <gmock/gmock.h>

#include <deque>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kTyped = "lapcast offload --to box fleet.toml -- train";

/// Holds what a scripted training does and which orders it received. It outlives the object that
/// the training's watcher owns.
struct ScriptedTraining {
  Result<bool> exists = true;
  Result<void> begin = {};
  std::deque<RemoteNews> news = {};
  std::deque<RemoteNews> news_after_order = {};
  std::vector<std::string> calls = {};
};

/// Returns the news of a script, as a remote run.
class ScriptedRun : public RemoteRun {
 public:
  explicit ScriptedRun(ScriptedTraining& script) : script_(script) {}
  Result<bool> exists() override { return script_.exists; }
  Result<void> begin(const RemoteProgress&) override { return call("begin", script_.begin); }
  RemoteNews follow(std::chrono::milliseconds) override {
    if (script_.news.empty()) return {.caught_up = true};
    RemoteNews news = std::move(script_.news.front());
    script_.news.pop_front();
    return news;
  }
  Result<void> order(const std::string& what) override {
    std::swap(script_.news, script_.news_after_order);
    return call(what, {});
  }
  Result<void> remove() override { return call("remove", {}); }
  Result<FetchedFiles> fetch(const std::filesystem::path&) override {
    script_.calls.push_back("fetch");
    return FetchedFiles{{{"pipe"}, 1}};
  }
  std::string end_command() const override { return "end it"; }

 private:
  Result<void> call(const std::string& name, Result<void> result) {
    script_.calls.push_back(name);
    return result;
  }
  ScriptedTraining& script_;
};

class Offload : public FolderTest {
 protected:
  Offload() : store_(Store::open(folder_ / "store.db")) {
    job_.request.context.id = "3fb09c61d2aa";
    job_.request.context.program = {"train"};
    job_.request.context.place = "ssh box";
    job_.request.context.started_at = "2026-11-20T12:00:00Z";
    job_.request.place_setup.place = SshPlace{"box"};
    job_.pending_run.id = job_.request.context.id;
  }

  std::unique_ptr<RemoteRun> remote() { return std::make_unique<ScriptedRun>(script_); }
  void tells_progress(std::int64_t laps) {
    RemoteNews news;
    news.messages.push_back(ProbeProgress{Seconds{static_cast<double>(laps)}, laps, 0, "running"});
    script_.news.push_back(std::move(news));
  }
  void ends() {
    lapcast::Run run;
    run.context.id = "another";
    run.outcome = outcome::Ended{};
    RemoteNews news;
    news.messages.push_back(std::move(run));
    news.ended = true;
    script_.news.push_back(std::move(news));
  }
  /// Stores the training as begin_training() does.
  void begin() {
    EXPECT_TRUE(begin_training(store_, job_.request, kTyped, *remote(), [](const auto&) {}));
  }

  OffloadedJob job_;
  ScriptedTraining script_;
  Interrupt interrupt_;
  Store store_;
};

TEST_F(Offload, IsStoredBeforeItBeginsSoThatNoTrainingIsForgotten) {
  script_.begin = tl::unexpected(Reason{"the link broke"});
  const auto begun = begin_training(store_, job_.request, kTyped, *remote(), [](const auto&) {});
  EXPECT_EQ(begun.error().text, "the link broke");
  const auto jobs = offloaded_in(store_);
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].request.context.id, "3fb09c61d2aa");
  EXPECT_EQ(offloaded_of(store_, "3fb").pending_run.id, "3fb09c61d2aa");
  EXPECT_EQ(offloaded_of(store_, "last").pending_run.id, "3fb09c61d2aa");
  EXPECT_THROW(offloaded_of(store_, "4"), Error);
}

TEST_F(Offload, IsNotBegunAgainWhenItsFolderIsGoneOrItsMachineIsOutOfReach) {
  script_.exists = false;
  OffloadedRun gone(job_, interrupt_, remote());
  EXPECT_FALSE(gone.find());
  EXPECT_EQ(state_text(gone.state()), "lost: box has no folder of it any more");
  EXPECT_THROW(refuse(job_, gone.state()), Error);
  script_.exists = tl::unexpected(Reason{"no route"});
  OffloadedRun away(job_, interrupt_, remote());
  EXPECT_FALSE(away.find());
  EXPECT_EQ(state_text(away.state()), "out of reach: no route");
  EXPECT_TRUE(script_.calls.empty());
}

TEST_F(Offload, ThatWasCutOffBeforeItBeganIsNotLost) {
  script_.begin = tl::unexpected(Reason{"killed here"});
  EXPECT_FALSE(begin_training(store_, job_.request, kTyped, *remote(), [](const auto&) {}));
  script_.exists = false;
  const OffloadedJob cut_off = offloaded_of(store_, "last");
  OffloadedRun run(cut_off, interrupt_, remote());
  EXPECT_FALSE(run.find());
  EXPECT_EQ(state_text(run.state()), std::string("never began; start it with: ") + kTyped);
  try {
    refuse(cut_off, run.state());
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the training 3fb09c61d2aa never began; start it with"));
  }
  // What has begun is lost when its folder is gone.
  script_.begin = {};
  begin();
  const OffloadedJob begun = offloaded_of(store_, "last");
  OffloadedRun gone(begun, interrupt_, remote());
  EXPECT_FALSE(gone.find());
  EXPECT_EQ(state_text(gone.state()), "lost: box has no folder of it any more");
}

TEST_F(Offload, CatchesUpWithTheNewestProgress) {
  tells_progress(1);
  tells_progress(2);
  OffloadedRun run(job_, interrupt_, remote());
  ASSERT_TRUE(run.find());
  EXPECT_EQ(run.catch_up().progress->laps, 2);
  EXPECT_FALSE(run.is_over());
  EXPECT_EQ(state_text(run.state()), "running");
}

TEST_F(Offload, FetchedAfterItsEndItIsStoredAsItsOwnRunAndRemoved) {
  begin();
  ends();
  OffloadedRun run(job_, interrupt_, remote());
  ASSERT_TRUE(run.find());
  const auto fetched = fetch_training(store_, run, folder_ / "results", false);
  ASSERT_TRUE(fetched.run);
  EXPECT_EQ(fetched.run->context.id, "3fb09c61d2aa");  // whatever its machine says
  EXPECT_EQ(fetched.left.count, 1);
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "results"));
  EXPECT_THAT(script_.calls, ElementsAre("begin", "begin", "fetch", "remove"));
  EXPECT_TRUE(offloaded_in(store_).empty());
}

TEST_F(Offload, FetchedWhileItGoesOnItStaysOnItsWay) {
  begin();
  tells_progress(1);
  OffloadedRun run(job_, interrupt_, remote());
  ASSERT_TRUE(run.find());
  EXPECT_FALSE(fetch_training(store_, run, folder_ / "results", false).run);
  EXPECT_THAT(script_.calls, ElementsAre("begin", "begin", "fetch"));
  EXPECT_EQ(offloaded_in(store_).size(), 1u);
}

TEST_F(Offload, StoppedItIsToldSoOnceAndFollowedToItsEnd) {
  tells_progress(1);
  OffloadedRun run(job_, interrupt_, remote());
  ASSERT_TRUE(run.find());
  run.catch_up();
  ends();
  std::swap(script_.news, script_.news_after_order);
  tells_progress(2);
  int told = 0;
  stop_training(run, interrupt_, [&](const OffloadState&) { ++told; });
  EXPECT_TRUE(run.is_over());
  EXPECT_THAT(script_.calls, ElementsAre("begin", "stop"));
}

TEST_F(Offload, ForgottenWithoutAnAnswerItIsARunThatSaysWhy) {
  begin();
  script_.exists = tl::unexpected(Reason{"no route"});
  OffloadedRun run(job_, interrupt_, remote());
  EXPECT_FALSE(run.find());
  EXPECT_EQ(forget_training(store_, run, false), std::nullopt);
  EXPECT_TRUE(offloaded_in(store_).empty());
  EXPECT_THAT(script_.calls, ElementsAre("begin"));  // nothing is removed that cannot be asked
}

}  // namespace
}  // namespace lapcast
