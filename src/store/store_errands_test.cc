#include <gmock/gmock.h>

#include "store/store.h"
#include "store/store_folder_test.h"

namespace lapcast {
namespace {

using testing::ElementsAre;

Errand errand(const std::string& id) {
  return {id, "77e1", "probe", "ssh gpu-box", "2026-11-20T12:00:00Z", "{\"x\": 1}"};
}

using StoreErrands = InTestFolder;

TEST_F(StoreErrands, AreKeptInTheirOrderUntilTheyAreRemoved) {
  Store store = Store::open(file());
  store.save_errand(errand("a"));
  store.save_errand(errand("b"));
  Errand changed = errand("a");
  changed.request = "{}";
  store.save_errand(changed);
  EXPECT_THAT(Store::open(file()).errands(), ElementsAre(changed, errand("b")));
  store.remove_errand("a");
  store.remove_errand("never there");
  EXPECT_THAT(store.errands(), ElementsAre(errand("b")));
}

TEST_F(StoreErrands, OnlyTheRemovalIsLeftOnceTheirRunIsStored) {
  Store store = Store::open(file());
  store.save_errand(errand("a"));
  store.save_errand(errand("b"));
  lapcast::Run run;
  run.context.id = "a";
  run.context.place = "ssh gpu-box";
  EXPECT_TRUE(store.add(run));
  Errand left = errand("a");
  left.purpose = kRemoval;
  EXPECT_THAT(store.errands(), ElementsAre(left, errand("b")));
  EXPECT_EQ(store.get("a"), run);
  EXPECT_FALSE(store.add(run));
}

// Whoever wrote a file chose its ids: what is under way is not given up for it.
TEST_F(StoreErrands, StayWhenARunOfTheirIdIsImported) {
  Store store = Store::open(file());
  store.save_errand(errand("a"));
  lapcast::Run run;
  run.context.id = "a";
  run.context.place = "ssh gpu-box";
  run.context.imported = true;
  store.add(run);
  EXPECT_THAT(store.errands(), ElementsAre(errand("a")));
}

TEST_F(StoreErrands, HostileTextIsOnlyText) {
  Store store = Store::open(file());
  Errand hostile = errand("x'); DROP TABLE errands; --");
  hostile.request = std::string("\"\0\xff'", 4);
  store.save_errand(hostile);
  EXPECT_THAT(store.errands(), ElementsAre(hostile));
}

}  // namespace
}  // namespace lapcast
