// This test plays a lease against a provider that fails, with a lapcast that may be killed between
// any two of its steps, in every order that a few failures allow.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lease/lease.h"
#include "lease/lease_cost.h"
#include "lease/lease_fixture_test.h"

namespace lapcast {
namespace {

/// Is everything that goes on: the provider's truth, the ledger, and the lapcast that is alive.
struct World {
  Lease ledger = new_lease();          // what is on the disk
  LeaseStep step = {};                 // what the living lapcast does next
  std::map<std::string, UtcNs> alive;  // machines, with the time from which lists show them
  UtcNs now = at(0);
  int made = 0;
  int failures = 0;        // that may still happen
  int kills = 0;           // that may still happen
  bool was_empty = false;  // the newest list was wrongly empty: the next one is not
  int steps = 0;
};

class Model {
 public:
  std::int64_t worlds = 0;

  void explore(World world) {
    ++worlds;
    // The provider ends what runs to its deadline.
    if (world.now >= world.ledger.deadline) world.alive.clear();
    if (world.ledger.state == LeaseState::gone) {
      EXPECT_TRUE(world.alive.empty()) << "a living machine of a lease that is gone";
      EXPECT_LE(world.made, 1);
      return;
    }
    if (++world.steps > 60) {
      ADD_FAILURE() << "a lease in state " << name_of(world.ledger.state) << " never ends";
      return;
    }
    if (world.kills > 0) {  // before the act: another lapcast finds the ledger as it is
      World killed = world;
      --killed.kills;
      killed.now += to_ns(Seconds{1});
      take(killed, EndFact{"its lapcast was killed"});
      explore(std::move(killed));
    }
    world.now += to_ns(world.step.after);
    switch (world.step.act) {
      case LeaseAct::create:
        return create(world);
      case LeaseAct::remove:
        return remove(world);
      case LeaseAct::wait:
        take(world, NoNews{});
        return explore(std::move(world));
      default:
        return list(world);
    }
  }

  /// Gives the newest lapcast a fact; the ledger is written before anything is done.
  static void take(World& world, const LeaseFact& fact) {
    world.step = next_step(world.ledger, fact, world.now);
    world.ledger = world.step.lease;
  }

 private:
  /// Goes on with an act whose answer comes, or with a kill before the answer. A kill before the
  /// answer to a list leaves what a kill before the list does.
  void answer(World world, const LeaseFact& fact) {
    if (world.kills > 0 && !std::holds_alternative<ListedFact>(fact)) {
      World killed = world;
      --killed.kills;
      killed.now += to_ns(Seconds{1});
      take(killed, EndFact{"its lapcast was killed"});
      explore(std::move(killed));
    }
    world.now += to_ns(Seconds{1});
    take(world, fact);
    explore(std::move(world));
  }

  static void make(World& world, Seconds shown_after) {
    // A token makes no second machine.
    if (world.ledger.idempotent && world.made > 0) return;
    ++world.made;
    world.alive["m-" + std::to_string(world.made)] = world.now + to_ns(shown_after);
  }

  void create(const World& world) {
    World good = world;
    make(good, Seconds{0});
    answer(good, MadeFact{entry()});
    if (world.failures == 0) return;
    for (const bool is_made : {false, true}) {
      for (const Seconds shown : {Seconds{0}, Seconds{58}}) {
        if (!is_made && shown.count() > 0) continue;
        World bad = world;
        --bad.failures;
        if (is_made) make(bad, shown);
        answer(bad, RefusedFact{RentRefusal::unclear, "no"});
      }
    }
  }

  void remove(const World& world) {
    World good = world;
    for (const MachineName& machine : world.step.machines) good.alive.erase(machine.machine);
    answer(good, DeleteFact{});
    if (world.failures == 0) return;
    World lies = world;
    --lies.failures;
    answer(lies, DeleteFact{});
  }

  void list(const World& world) {
    ListedFact truth = listed(world.now, {});
    for (const auto& [machine, shown_from] : world.alive) {
      if (world.now < shown_from) continue;
      ProviderEntry each = running();
      each.machine = machine;
      truth.machines.push_back(each);
    }
    World good = world;
    good.was_empty = false;
    // Once it is reached, the work is done.
    if (world.step.act == LeaseAct::login && !truth.machines.empty()) {
      World reached = good;
      take(reached, LoginFact{});
      answer(reached, EndFact{"measured"});
      return;
    }
    answer(good, truth);
    if (world.failures == 0 || world.was_empty) return;
    World empty = world;
    --empty.failures;
    empty.was_empty = true;
    answer(empty, listed(world.now, {}));
    World partial = empty;
    ListedFact some = listed(world.now, {});
    some.complete = false;
    answer(partial, some);
  }
};

void explore_from(bool idempotent, int failures, int kills) {
  World world;
  world.ledger.idempotent = idempotent;
  world.failures = failures;
  world.kills = kills;
  Model::take(world, NoNews{});
  Model model;
  model.explore(std::move(world));
  EXPECT_GT(model.worlds, 500);
}

TEST(LeaseModel, NoFailuresAndKillsLeaveAMachineBehind) {
  explore_from(false, 2, 1);
  explore_from(true, 2, 1);
}

TEST(LeaseModel, NoTwoKillsLeaveAMachineBehind) {
  explore_from(false, 1, 2);
}

}  // namespace
}  // namespace lapcast
