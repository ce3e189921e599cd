#include "campaign/start_kind.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;

class StartKindTest : public FolderTest {
 protected:
  StartKindTest() {
    for (const char* script : {"a.sh", "b.sh"}) write_text(folder_ / script, "exit 0\n");
  }
  ProbeRequest request(std::vector<std::string> program, const Place& place = {}) const {
    ProbeRequest request;
    request.context.id = new_id();
    request.context.program = std::move(program);
    request.context.working_dir = folder_.string();
    request.context.machine.host = "h";
    request.context.machine.boot_id = "first";
    request.context.place = describe(place);
    request.place_setup.place = place;
    return request;
  }
  /// Stores a run of the request that has laps.
  void has_run(const ProbeRequest& request) {
    lapcast::Run run = run_of_laps(3, 0.1, outcome::Enough{"rule"});
    run.context = request.context;
    run.context.id = new_id();
    run.context.start_id = start_id_of(request);
    store_.add(run);
  }
  StartKind kind_of(ProbeRequest request) const {
    request.context.start_id = start_id_of(request);
    return Starts(store_).kind_of(request);
  }
  std::vector<StartKind> kinds_in_campaign(std::vector<ProbeRequest> requests) {
    Interrupt interrupt;
    FakeExecutor executor;
    run_campaign(std::move(requests), {executor, store_, interrupt});
    std::vector<StartKind> kinds;
    for (const ProbeRequest& started : executor.requests) kinds.push_back(started.context.start);
    return kinds;
  }

  Store store_ = Store::open(folder_ / "store.db");
};

TEST_F(StartKindTest, OnlyTheSameScriptIsWarm) {
  has_run(request({"sh", "a.sh", "--batch", "64", "lr=0.1"}));
  EXPECT_EQ(kind_of(request({"sh", "a.sh", "--batch", "64", "lr=0.1"})), StartKind::warm);
  EXPECT_EQ(kind_of(request({"sh", "a.sh", "--batch", "128", "lr=1e-3"})), StartKind::warm);
  EXPECT_EQ(kind_of(request({"sh", "b.sh", "--batch", "64", "lr=0.1"})), StartKind::cold);
  EXPECT_EQ(kind_of(request({"bash", "a.sh", "--batch", "64", "lr=0.1"})), StartKind::cold);
  EXPECT_EQ(kind_of(request({"sh", "a.sh", "--model", "64", "lr=0.1"})), StartKind::cold);
  ProbeRequest elsewhere = request({"sh", "a.sh", "--batch", "64", "lr=0.1"});
  elsewhere.context.working_dir = "/";
  EXPECT_EQ(kind_of(elsewhere), StartKind::cold);
}

TEST_F(StartKindTest, AScriptWithOtherBytesIsAnother) {
  for (const std::vector<std::string>& program :
       {std::vector<std::string>{"sh", "a.sh"}, {"sh", "-c", "exec ./a.sh"}}) {
    has_run(request(program));
    EXPECT_EQ(kind_of(request(program)), StartKind::warm);
    write_text(folder_ / "a.sh", text_of(folder_ / "a.sh") + "exit 1\n");
    EXPECT_EQ(kind_of(request(program)), StartKind::cold);
  }
}

TEST_F(StartKindTest, OnlyTheSameEnvironmentIsWarm) {
  ProbeRequest one = request({"sh", "a.sh"});
  one.context.machine_type.environment = {{"MODEL", "small"}, {"OMP_NUM_THREADS", "1"}};
  has_run(one);
  EXPECT_EQ(kind_of(request({"sh", "a.sh"})), StartKind::cold);
  one.context.machine_type.environment["OMP_NUM_THREADS"] = "4";
  EXPECT_EQ(kind_of(one), StartKind::warm);
  one.context.machine_type.environment["MODEL"] = "large";
  EXPECT_EQ(kind_of(one), StartKind::cold);

  has_run(request({"sh", "a.sh"}));
  EXPECT_EQ(kind_of(request({"sh", "a.sh"})), StartKind::warm);
  setenv("TERM_PROGRAM", "another", 1);  // a terminal's own
  EXPECT_EQ(kind_of(request({"sh", "a.sh"})), StartKind::warm);
  setenv("VIRTUAL_ENV", "/another", 1);
  EXPECT_EQ(kind_of(request({"sh", "a.sh"})), StartKind::cold);
  unsetenv("VIRTUAL_ENV");
  unsetenv("TERM_PROGRAM");
}

TEST_F(StartKindTest, OnlyTheSameMachineSinceItsStartIsWarm) {
  has_run(request({"sh", "a.sh"}));
  ProbeRequest booted = request({"sh", "a.sh"});
  booted.context.machine.boot_id = "second";
  EXPECT_EQ(kind_of(booted), StartKind::cold);
  booted.context.machine.boot_id = "";
  EXPECT_EQ(kind_of(booted), StartKind::cold);
  EXPECT_EQ(kind_of(request({"sh", "a.sh"}, SshPlace{"x"})), StartKind::cold);
  has_run(request({"sh", "b.sh"}, SshPlace{"x"}));
  EXPECT_EQ(kind_of(request({"sh", "b.sh"})), StartKind::cold);
  EXPECT_EQ(kind_of(request({"sh", "b.sh"}, SshPlace{"x"})), StartKind::cold);  // it may be off
}

TEST_F(StartKindTest, WhatDoesNotTellItsEnvironmentWarmsNothing) {
  const ProbeRequest one = request({"sh", "a.sh"});
  lapcast::Run run = run_of_laps(3, 0.1, outcome::Enough{"rule"});  // of an older version
  run.context = one.context;
  store_.add(run);
  EXPECT_EQ(kind_of(one), StartKind::cold);
  run.context.start_id = start_id_of(one);
  run.context.id = new_id();
  run.context.imported = true;
  store_.add(run);
  EXPECT_EQ(kind_of(one), StartKind::cold);
  run.context.imported = false;
  run.context.id = new_id();
  run.outcome = outcome::Crashed{1, 0};
  store_.add(run);
  EXPECT_EQ(kind_of(one), StartKind::cold);
}

TEST_F(StartKindTest, InACampaignAStartIsWarmOnceAnotherHasLaps) {
  std::vector<ProbeRequest> requests;
  for (const int cpu : {0, 1, 0}) {  // two begin together
    requests.push_back(request({"sh", "a.sh"}));
    requests.back().context.machine_type.cpus = {cpu};
  }
  requests.push_back(request({"sh", "b.sh"}));
  requests.back().context.machine_type.cpus = {0};
  EXPECT_THAT(kinds_in_campaign(requests),
              ElementsAre(StartKind::cold, StartKind::cold, StartKind::warm, StartKind::cold));
  EXPECT_THAT(kinds_in_campaign({requests[1]}), ElementsAre(StartKind::warm));
}

TEST_F(StartKindTest, AQueueMayChooseAnotherNode) {
  const ProbeRequest job = request({"sh", "a.sh"}, SlurmPlace{.partition = "cpu"});
  const ProbeRequest own = request({"sh", "a.sh"}, SshPlace{"x"});
  Starts starts(store_);
  for (ProbeRequest one : {job, own}) {
    one.context.start_id = start_id_of(one);
    EXPECT_EQ(starts.kind_of(one), StartKind::cold);
    starts.note(one.context);
    EXPECT_EQ(starts.kind_of(one),
              is_queued(one.place_setup.place) ? StartKind::unknown : StartKind::warm);
  }
}

}  // namespace
}  // namespace lapcast
