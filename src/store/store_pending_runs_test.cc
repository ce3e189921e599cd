#include <gmock/gmock.h>

#include "store/store.h"
#include "store/store_folder_test.h"

namespace lapcast {
namespace {

using testing::ElementsAre;

PendingRun pending_run(const std::string& id) {
  return {id, "77e1", "probe", "ssh gpu-box", "2026-11-20T12:00:00Z", "{\"x\": 1}"};
}

using StorePendingRuns = InTestFolder;

TEST_F(StorePendingRuns, AreKeptInTheirOrderUntilTheyAreRemoved) {
  Store store = Store::open(file());
  store.save_pending_run(pending_run("a"));
  store.save_pending_run(pending_run("b"));
  PendingRun changed = pending_run("a");
  changed.request = "{}";
  store.save_pending_run(changed);
  EXPECT_THAT(Store::open(file()).pending_runs(), ElementsAre(changed, pending_run("b")));
  store.remove_pending_run("a");
  store.remove_pending_run("never there");
  EXPECT_THAT(store.pending_runs(), ElementsAre(pending_run("b")));
}

TEST_F(StorePendingRuns, OnlyTheRemovalIsLeftOnceTheirRunIsStored) {
  Store store = Store::open(file());
  store.save_pending_run(pending_run("a"));
  store.save_pending_run(pending_run("b"));
  lapcast::Run run;
  run.context.id = "a";
  run.context.place = "ssh gpu-box";
  EXPECT_TRUE(store.add(run));
  PendingRun left = pending_run("a");
  left.purpose = kRemoval;
  EXPECT_THAT(store.pending_runs(), ElementsAre(left, pending_run("b")));
  EXPECT_EQ(store.get("a"), run);
  EXPECT_FALSE(store.add(run));
}

// The author of an imported file chose its ids, so it does not end a pending run.
TEST_F(StorePendingRuns, StayWhenARunOfTheirIdIsImported) {
  Store store = Store::open(file());
  store.save_pending_run(pending_run("a"));
  lapcast::Run run;
  run.context.id = "a";
  run.context.place = "ssh gpu-box";
  run.context.imported = true;
  store.add(run);
  EXPECT_THAT(store.pending_runs(), ElementsAre(pending_run("a")));
}

TEST_F(StorePendingRuns, HostileTextIsOnlyText) {
  Store store = Store::open(file());
  PendingRun hostile = pending_run("x'); DROP TABLE errands; --");
  hostile.request = std::string("\"\0\xff'", 4);
  store.save_pending_run(hostile);
  EXPECT_THAT(store.pending_runs(), ElementsAre(hostile));
}

}  // namespace
}  // namespace lapcast
