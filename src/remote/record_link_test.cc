#include "remote/record_link.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

/// A host whose agent is a shell script: it gets the command line as $*, counts its starts in the
/// file "starts" of the folder, and finds their number in $n.
class ScriptedHost : public LocalHost {
 public:
  ScriptedHost(std::filesystem::path folder, std::string script)
      : folder_(std::move(folder)), script_(std::move(script)) {}
  std::string name() const override { return "box"; }
  std::optional<HostFailure> failure_of(const RunningCommand& ended) const override {
    if (ended.status() != 255) return std::nullopt;
    return HostFailure{{"the link to box broke"}, true};
  }

 protected:
  std::vector<std::string> carrier(const std::vector<std::string>& arguments,
                                   const std::string&) const override {
    std::vector<std::string> command{
        "sh", "-c",
        "cd '" + folder_.string() + "'; echo >>starts; n=$(wc -l <starts); echo \"$*\" >>asked; " +
            script_,
        "sh"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
  }

 private:
  std::filesystem::path folder_;
  std::string script_;
};

class RecordLinkTest : public FolderTest {
 protected:
  RecordLinkTest() { setenv("LAPCAST_PATIENCE", "1s", 1); }
  ~RecordLinkTest() override { unsetenv("LAPCAST_PATIENCE"); }

  /// Follows until the run ended, is lost, or five seconds are over.
  RemoteNews follow_to_the_end(RecordLink& link) {
    RemoteNews all;
    for (int i = 0; i < 100 && !all.ended && !all.lost; ++i) {
      RemoteNews news = link.follow(50ms);
      std::move(news.messages.begin(), news.messages.end(), std::back_inserter(all.messages));
      if (!news.note.empty()) all.note = news.note;
      all.ended = news.ended;
      all.bytes += news.bytes;
      all.lost = news.lost;
    }
    return all;
  }
  std::string asked() const { return text_of(folder_ / "asked"); }

  PlaceSetup setup_;
  Interrupt interrupt_;
};

TEST_F(RecordLinkTest, GoesOnAtTheByteWhereTheLinkBroke) {
  const ScriptedHost host(folder_,
                          "echo B; if [ $n = 1 ]; then echo L; echo 'P 1 1 1 0 0 - one'; "
                          "printf 'P 2 2'; exit 255; fi; echo 'P 2 2 1 0 0 - two'; echo 'R {}'; "
                          "read line");
  RecordLink link(host, setup_, "3fb0", interrupt_);
  const RemoteNews news = follow_to_the_end(link);
  EXPECT_TRUE(news.ended);
  ASSERT_EQ(news.messages.size(), 3u);
  EXPECT_EQ(std::get<ProbeProgress>(news.messages[0]).state, "one");
  EXPECT_EQ(std::get<ProbeProgress>(news.messages[1]).state, "two");
  EXPECT_TRUE(std::holds_alternative<Reason>(news.messages[2]));  // a result that cannot be read
  EXPECT_THAT(news.note, HasSubstr("the link to box broke; the run goes on, trying again"));
  EXPECT_THAT(asked(), HasSubstr("agent follow runs/3fb0 --from 0\n"));
  EXPECT_THAT(asked(), HasSubstr("agent follow runs/3fb0 --from 18\n"));
  // Two lines and five bytes of a third one came over the first link, two lines over the second.
  EXPECT_EQ(news.bytes, 2 + 18 + 5 + 18 + 5);
}

TEST_F(RecordLinkTest, GivesOrdersAgainOverANewLink) {
  const ScriptedHost host(folder_,
                          "echo B; if [ $n = 1 ]; then read order; exit 255; fi; read order; "
                          "echo \"P 0 0 0 0 0 - $order\"; echo 'R {}'; read line");
  RecordLink link(host, setup_, "3fb0", interrupt_);
  link.follow(50ms);
  ASSERT_TRUE(link.order("stop"));
  const RemoteNews news = follow_to_the_end(link);
  ASSERT_TRUE(news.ended);
  EXPECT_EQ(std::get<ProbeProgress>(news.messages[0]).state, "stop");
}

TEST_F(RecordLinkTest, LosesARunThatIsRefusedOrHasNoResult) {
  const ScriptedHost refuses(folder_, "printf 'X gone\\033[2J\\n'");
  RecordLink refused(refuses, setup_, "3fb0", interrupt_);
  EXPECT_EQ(follow_to_the_end(refused).lost->text.substr(0, 9), "box: gone");
  const ScriptedHost dies(folder_, "echo B; echo trouble >&2; exit 3");
  RecordLink dead(dies, setup_, "3fb0", interrupt_);
  EXPECT_EQ(follow_to_the_end(dead).lost->text, "lapcast on box ended without a result: trouble ");
}

TEST_F(RecordLinkTest, NamesTheFilesThatWereWrittenSinceTheRunBegan) {
  const std::filesystem::path root = folder_ / "runs/3fb0/lapcast-run-1.2-3fb0";
  std::filesystem::create_directories(root / "run/parts");
  for (const char* name : {"../request.json", "run/inherited", "run/#own", "run/parts/own"})
    write_text(root / name, name);
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(root / "../request.json", now - 1h);
  std::filesystem::last_write_time(root / "run/inherited", now - 1h - 1ms);
  setup_.folder = folder_.string();
  const LocalHost host;
  const RecordLink link(host, setup_, "3fb0", interrupt_);
  EXPECT_THAT(link.own_files().value(), UnorderedElementsAre("#own", "parts/own"));
}

TEST_F(RecordLinkTest, BelievesNoFileOutsideTheRunFolder) {
  const ScriptedHost host(folder_,
                          "if [ $n = 1 ]; then echo lapcast-run-1.2-3fb0/run; else "
                          "printf './a\\0../b\\0/c\\0./d/../../e\\0./f..g\\0'; fi");
  const RecordLink link(host, setup_, "3fb0", interrupt_);
  EXPECT_THAT(link.own_files().value(), ElementsAre("a", "f..g"));
}

TEST_F(RecordLinkTest, TakesASilentLinkForABrokenOne) {
  const ScriptedHost host(folder_, "echo B; [ $n = 1 ] && sleep 1000; echo 'R {}'; read line");
  RecordLink link(host, setup_, "3fb0", interrupt_);
  const RemoteNews news = follow_to_the_end(link);
  EXPECT_TRUE(news.ended);
  EXPECT_THAT(news.note, HasSubstr("box is silent"));
}

TEST_F(RecordLinkTest, BeginsARunAndFollowsItOverTheSameConnection) {
  const ScriptedHost host(folder_,
                          "read request; echo B; echo \"R $request\"; read order; "
                          "echo \"$order\" >order");
  ProbeRequest request;
  request.context.id = "3fb09c61d2aa";
  request.context.program = {"train"};
  auto session = begin_run(host, request, AgentTask::Kind::begin, interrupt_, [](const auto&) {});
  ASSERT_TRUE(session) << session.error().text;
  RecordLink link(host, request.place_setup, request.context.id, interrupt_);
  link.follow_session(std::move(*session));
  EXPECT_TRUE(follow_to_the_end(link).ended);
  EXPECT_TRUE(link.remove());
  EXPECT_EQ(text_of(folder_ / "order"), "remove\n");
  EXPECT_EQ(text_of(folder_ / "starts"), "\n");
}

TEST_F(RecordLinkTest, SaysWhyARunIsNotBegun) {
  ProbeRequest request;
  request.context.id = "3fb09c61d2aa";
  const auto why = [&](const std::string& script) {
    const ScriptedHost host(folder_, script);
    return begin_run(host, request, AgentTask::Kind::begin, interrupt_, [](const auto&) {})
        .error()
        .text;
  };
  EXPECT_EQ(why("echo X no"), "box: no");
  EXPECT_EQ(why("echo usage"), "box: usage");
  EXPECT_EQ(why("echo N program"), "box asks for a program that is on it already");
  EXPECT_THAT(why("echo N tool Plan9 mips"),
              HasSubstr("box is Plan9 mips, and this lapcast runs on"));
  EXPECT_THAT(why("exit 3"), HasSubstr("lapcast cannot be run on box (exit status 3)"));
  EXPECT_THAT(why("sleep 1000"), HasSubstr("box does not answer"));
  EXPECT_THAT(why("tr '\\0' x </dev/zero"), HasSubstr("answers with a line that is too long"));
}

TEST_F(RecordLinkTest, WaitsWhileAnAgentSaysThatItIsAtWork) {
  setenv("LAPCAST_PATIENCE", "3s", 1);  // four times 0.9 s are longer
  ProbeRequest request;
  request.context.id = "3fb09c61d2aa";
  const ScriptedHost host(folder_,
                          "for i in 1 2 3 4; do sleep 0.9; echo L; done; echo B; echo more");
  auto session = begin_run(host, request, AgentTask::Kind::prepare, interrupt_, [](const auto&) {});
  ASSERT_TRUE(session) << session.error().text;
  EXPECT_EQ(session->next_line(), "more");
}

}  // namespace
}  // namespace lapcast
