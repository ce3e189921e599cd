#include "lease/lease.h"

#include <gmock/gmock.h>

#include <vector>

#include "lease/lease_cost.h"
#include "lease/lease_fixture_test.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(NextStep, ALeaseThatIsUsedAsPlannedIsCreatedReachedAndGivenBack) {
  LeaseStep step = next_step(new_lease(), NoNews{}, at(0));
  EXPECT_EQ(step.act, LeaseAct::create);
  EXPECT_EQ(step.lease.creates, 1);

  step = next_step(step.lease, MadeFact{entry()}, at(2));
  EXPECT_EQ(step.lease.state, LeaseState::created);
  EXPECT_EQ(step.act, LeaseAct::list);  // its address is not known yet

  step = next_step(step.lease, listed(at(7), {running()}), at(8));
  EXPECT_EQ(step.act, LeaseAct::login);
  step = next_step(step.lease, LoginFact{}, at(40));
  EXPECT_EQ(step.lease.state, LeaseState::reachable);
  EXPECT_EQ(step.lease.reachable, at(40));

  step = next_step(step.lease, EndFact{"measured"}, at(100));
  EXPECT_EQ(step.lease.state, LeaseState::ending);
  EXPECT_EQ(step.lease.reason, "measured");
  EXPECT_EQ(step.act, LeaseAct::remove);
  EXPECT_THAT(step.machines, ElementsAre(MachineName{"m-1", "north", "north-a"}));

  step = next_step(step.lease, DeleteFact{}, at(101));
  EXPECT_EQ(step.act, LeaseAct::list);
  step = next_step(step.lease, listed(at(102), {over()}), at(103));
  EXPECT_EQ(step.lease.state, LeaseState::gone);
  EXPECT_EQ(step.act, LeaseAct::close);
}

TEST(NextStep, TwoListsWithoutTheMachineEndALeaseAndOneDoesNot) {
  LeaseStep step = next_step(ending_lease(), DeleteFact{}, at(100));
  step = next_step(step.lease, listed(at(101), {}), at(102));
  EXPECT_EQ(step.lease.state, LeaseState::ending);
  EXPECT_GE(step.after, Seconds{59});  // settle_seconds after the first list
  step = next_step(step.lease, listed(at(160), {}), at(160));
  EXPECT_EQ(step.lease.state, LeaseState::ending) << "59 s after the first list";
  step = next_step(step.lease, listed(at(161), {}), at(162));
  EXPECT_EQ(step.lease.state, LeaseState::gone);
  EXPECT_EQ(step.lease.gone, at(101));
}

TEST(NextStep, IncompleteAndFailedListsSayNothing) {
  Lease lease = next_step(ending_lease(), DeleteFact{}, at(100)).lease;
  lease = next_step(lease, listed(at(101), {}), at(101)).lease;
  ListedFact partial = listed(at(200), {});
  partial.complete = false;
  EXPECT_EQ(next_step(lease, partial, at(200)).lease.state, LeaseState::ending);
  EXPECT_EQ(next_step(lease, ListFailedFact{}, at(200)).lease.state, LeaseState::ending);
  ListedFact partly_over = listed(at(200), {over()});
  partly_over.complete = false;
  EXPECT_EQ(next_step(lease, partly_over, at(200)).lease.state, LeaseState::ending);
}

TEST(NextStep, AMachineThatIsListedAgainBeginsTheCountAnew) {
  Lease lease = next_step(ending_lease(), DeleteFact{}, at(100)).lease;
  lease = next_step(lease, listed(at(101), {}), at(101)).lease;
  LeaseStep step = next_step(lease, listed(at(130), {running()}), at(130));
  EXPECT_EQ(step.act, LeaseAct::remove) << "the answer to the first delete() was wrong";
  step = next_step(step.lease, listed(at(170), {}), at(170));
  EXPECT_EQ(step.lease.state, LeaseState::ending);
}

TEST(WorstCost, IsThatOfTheWholeTermWhileListsMayBeWrong) {
  Lease lease = next_step(ending_lease(), DeleteFact{}, at(100)).lease;
  Lease lacked = next_step(lease, listed(at(101), {}), at(101)).lease;
  lacked = next_step(lacked, listed(at(161), {}), at(162)).lease;
  ASSERT_EQ(lacked.gone, at(101));
  EXPECT_EQ(worst_cost(lacked, at(400)), worst_cost(lacked.order));      // 1200 s
  EXPECT_EQ(worst_cost(lacked, at(401)), cost_so_far(lacked, at(401)));  // 5 times 60 s later
  EXPECT_LT(cost_so_far(lacked, at(401)), Money::parse("0.0113"));       // 101 s at $0.40 an hour
  lease = next_step(lease, listed(at(161), {over()}), at(162)).lease;
  ASSERT_EQ(lease.state, LeaseState::gone);
  EXPECT_EQ(worst_cost(lease, at(163)), cost_so_far(lease, at(163)));
}

TEST(NextStep, TheClockOfAProviderIsItsOwn) {
  ProviderEntry machine = over();
  machine.created = at(7200);  // two hours ahead
  machine.ended = at(7230);
  const Lease lease = next_step(ending_lease(), DeleteFact{}, at(100)).lease;
  // Its machine was known 2 s after the request, and lived for 30 s.
  EXPECT_EQ(next_step(lease, listed(at(161), {machine}), at(162)).lease.gone, at(32));
  machine.ended = at(7000);
  EXPECT_EQ(next_step(lease, listed(at(161), {machine}), at(162)).lease.gone, at(162));
}

TEST(NextStep, AListThatWasAskedForBeforeTheDeleteDoesNotCount) {
  Lease lease = next_step(ending_lease(), DeleteFact{}, at(100)).lease;
  lease = next_step(lease, listed(at(99), {}), at(101)).lease;
  EXPECT_FALSE(lease.absent);
  EXPECT_EQ(next_step(lease, listed(at(99), {over()}), at(101)).lease.state, LeaseState::ending);
}

TEST(NextStep, ARefusalIsNotBelieved) {
  for (const RentRefusal refusal :
       {RentRefusal::capacity, RentRefusal::quota, RentRefusal::credentials, RentRefusal::too_dear,
        RentRefusal::no_such_offer, RentRefusal::unclear}) {
    Lease lease = next_step(new_lease(), NoNews{}, at(0)).lease;
    LeaseStep step = next_step(lease, RefusedFact{refusal, "no"}, at(1));
    EXPECT_EQ(step.lease.state, LeaseState::ending) << name_of(refusal);
    EXPECT_EQ(step.lease.refusal, refusal);
    step = next_step(step.lease, listed(at(2), {running()}), at(3));
    EXPECT_EQ(step.act, LeaseAct::remove) << "it was made all the same";
  }
}

TEST(NextStep, OnlyAnIdempotentAdapterIsAskedAgain) {
  Lease lease = new_lease();
  lease.idempotent = true;
  UtcNs now = at(0);
  int creates = 0;
  std::vector<double> pauses;
  LeaseStep step = next_step(lease, NoNews{}, now);
  for (; step.act == LeaseAct::create; ++creates) {
    step = next_step(step.lease, RefusedFact{RentRefusal::unclear, "?"}, now);
    pauses.push_back(step.after.count());
    now += to_ns(step.after);
    step = next_step(step.lease, NoNews{}, now);
  }
  EXPECT_EQ(creates, 4);
  EXPECT_THAT(pauses, ElementsAre(1, 2, 4, testing::_));
  EXPECT_EQ(step.lease.state, LeaseState::ending);

  step = next_step(new_lease(), NoNews{}, at(0));
  step = next_step(step.lease, RefusedFact{RentRefusal::unclear, "?"}, at(1));
  EXPECT_EQ(step.lease.state, LeaseState::ending);
}

TEST(NextStep, ADearerMachineIsGivenBack) {
  Lease lease = next_step(new_lease(), NoNews{}, at(0)).lease;
  ProviderEntry dear = entry();
  dear.price = HourlyPrice{Money::parse("0.52")};
  const LeaseStep step = next_step(lease, MadeFact{dear}, at(1));
  EXPECT_EQ(step.lease.state, LeaseState::ending);
  EXPECT_EQ(step.lease.reason,
            "the provider bills $0.52/h, more than the $0.40/h that were allowed");
  EXPECT_EQ(step.act, LeaseAct::remove);
}

TEST(NextStep, ADiskThatStaysIsDeletedWithTheMachineAndSaysNothingOfItBefore) {
  ProviderEntry disk = entry();
  disk.machine = "disk-1";
  disk.is_machine = false;
  disk.state = ListedState::stopped;
  Lease lease = reachable_lease();
  LeaseStep step = next_step(lease, listed(at(60), {disk, running()}), at(60));
  EXPECT_EQ(step.lease.state, LeaseState::reachable);
  step = next_step(step.lease, EndFact{"done"}, at(70));
  step = next_step(step.lease, listed(at(80), {disk, over()}), at(81));
  EXPECT_EQ(step.act, LeaseAct::remove);
  EXPECT_THAT(step.machines, ElementsAre(MachineName{"disk-1", "north", "north-a"}));
}

TEST(NextStep, ASecondMachineOfALeaseIsDeleted) {
  ProviderEntry second = running();
  second.machine = "m-2";
  const LeaseStep step = next_step(reachable_lease(), listed(at(60), {running(), second}), at(60));
  EXPECT_EQ(step.lease.state, LeaseState::reachable);
  EXPECT_EQ(step.act, LeaseAct::remove);
  EXPECT_THAT(step.machines, ElementsAre(MachineName{"m-2", "north", "north-a"}));
}

TEST(NextStep, AMachineThatEndedByItselfEndsItsLease) {
  ProviderEntry failed = entry();
  failed.state = ListedState::failed;
  const LeaseStep step = next_step(reachable_lease(), listed(at(60), {failed}), at(60));
  EXPECT_EQ(step.lease.state, LeaseState::ending);
  EXPECT_THAT(step.lease.reason, HasSubstr("failed"));
  ProviderEntry taken = over();
  taken.preempted_at = at(55);
  EXPECT_EQ(next_step(reachable_lease(), listed(at(60), {taken}), at(60)).lease.reason,
            "the provider took it back");
}

TEST(NextStep, AMachineThatStartsForNothingIsNotOver) {
  ProviderEntry starting = entry();
  starting.state = ListedState::starting;
  starting.costs = false;
  Lease lease = next_step(ending_lease(), DeleteFact{}, at(100)).lease;
  EXPECT_EQ(next_step(lease, listed(at(101), {starting}), at(101)).lease.state, LeaseState::ending);
}

TEST(NextStep, TheDeadlineAndTheBootLimitEndALease) {
  EXPECT_EQ(next_step(reachable_lease(), NoNews{}, at(1139)).lease.state, LeaseState::reachable);
  const Lease late = next_step(reachable_lease(), NoNews{}, at(1140)).lease;  // 20 min - 60 s
  EXPECT_EQ(late.state, LeaseState::ending);
  EXPECT_EQ(late.reason, "its deadline came");
  Lease booting = next_step(new_lease(), NoNews{}, at(0)).lease;
  booting = next_step(booting, MadeFact{entry()}, at(1)).lease;
  EXPECT_EQ(next_step(booting, NoNews{}, at(359)).lease.state, LeaseState::created);
  EXPECT_EQ(next_step(booting, NoNews{}, at(360)).lease.reason,
            "it could not be reached within 6 min 00 s");
}

TEST(NextStep, AGoneLeaseIsOpenAgainWhenItsMachineTurnsUp) {
  Lease lease = ending_lease();
  lease.state = LeaseState::gone;
  lease.gone = at(100);
  EXPECT_EQ(next_step(lease, listed(at(159), {running()}), at(159)).lease.state, LeaseState::gone)
      << "the list may be old";
  const LeaseStep step = next_step(lease, listed(at(160), {running()}), at(160));
  EXPECT_EQ(step.lease.state, LeaseState::ending);
  EXPECT_EQ(step.act, LeaseAct::remove);
  EXPECT_EQ(next_step(lease, MadeFact{entry()}, at(101)).lease.state, LeaseState::ending);
}

TEST(NextStep, DeletesAreRepeatedForEverWithPausesOfAtMostAMinute) {
  Lease lease = ending_lease();
  UtcNs now = at(100);
  int deletes = 0;
  Seconds longest{0};
  UtcNs last = now;
  for (int i = 0; i < 2000; ++i) {
    const LeaseStep step = next_step(lease, listed(now, {running()}), now);
    lease = step.lease;
    ASSERT_EQ(lease.state, LeaseState::ending);
    if (step.act == LeaseAct::remove) {
      longest = std::max(longest, from_ns(now - last));
      last = now;
      ++deletes;
    }
    now += to_ns(Seconds{1});
  }
  EXPECT_GT(deletes, 2000 / 61);
  EXPECT_LE(longest, Seconds{61});
}

TEST(NextStep, AClockThatIsPutBackDoesNotDelayADelete) {
  Lease lease = next_step(ending_lease(), DeleteFact{}, at(100)).lease;
  lease.next_try = at(100) + to_ns(Seconds{3600});
  EXPECT_EQ(next_step(lease, listed(at(101), {running()}), at(101)).act, LeaseAct::remove);
}

// Every state with every fact at every time

const std::vector<ProviderEntry> kNothing;

void check_step(const Lease& before, const LeaseFact& fact, UtcNs now) {
  const LeaseStep step = next_step(before, fact, now);
  const Lease& after = step.lease;
  const auto* list = std::get_if<ListedFact>(&fact);
  if (after.state == LeaseState::gone && before.state != LeaseState::gone) {
    const bool never_asked = before.creates == 0 && !after.was_listed;
    EXPECT_TRUE(never_asked ||
                (list != nullptr && list->complete && before.state == LeaseState::ending));
    if (!never_asked && list != nullptr && list->machines.empty()) {
      EXPECT_TRUE(before.absent && list->asked - *before.absent >= to_ns(before.settle));
    }
    for (const ProviderEntry& each : list == nullptr ? kNothing : list->machines)
      EXPECT_FALSE(each.costs);
  }
  if (step.act == LeaseAct::create) {
    EXPECT_EQ(before.state, LeaseState::asked);
    EXPECT_TRUE(before.creates == 0 || before.idempotent);
    EXPECT_EQ(after.creates, before.creates + 1);
  }
  if (step.act == LeaseAct::remove) {
    EXPECT_FALSE(step.machines.empty());
    EXPECT_EQ(after.deletes, before.deletes + 1);
  }
  EXPECT_FALSE(now >= before.deadline && is_used(after));
  EXPECT_EQ(step.act == LeaseAct::close, after.state == LeaseState::gone);
  EXPECT_FALSE(after.state == LeaseState::ending && after.reason.empty());
  EXPECT_TRUE(before.state == LeaseState::gone || after.state >= before.state);
  EXPECT_EQ(after.id, before.id);
  EXPECT_EQ(after.deadline, before.deadline);
  EXPECT_GE(step.after, Seconds{0});
}

std::vector<LeaseFact> all_facts() {
  std::vector<LeaseFact> facts{NoNews{},         MadeFact{entry()}, DeleteFact{},
                               ListFailedFact{}, LoginFact{},       EndFact{"done"}};
  for (int refusal = 0; refusal <= static_cast<int>(RentRefusal::unclear); ++refusal)
    facts.push_back(RefusedFact{static_cast<RentRefusal>(refusal), "no"});
  for (const UtcNs asked : {at(0), at(90), at(170), at(1300)}) {
    for (const bool complete : {false, true}) {
      const auto add = [&](std::vector<ProviderEntry> machines) {
        facts.push_back(ListedFact{asked, complete, std::move(machines)});
      };
      add({});
      add({running(), over()});
      for (int state = 0; state < 6; ++state) {
        for (const bool costs : {false, true}) {
          ProviderEntry each = entry();
          each.state = static_cast<ListedState>(state);
          each.costs = costs;
          add({each});
        }
      }
    }
  }
  return facts;
}

TEST(NextStep, EveryStateWithEveryFactAtEveryTimeKeepsTheRules) {
  std::vector<Lease> leases;
  for (const int state : {0, 1, 2, 3, 4}) {
    for (const bool idempotent : {false, true})
      for (const int creates : {0, 1})
        for (const char* machine : {"", "m-1", "m-2"})
          for (const std::optional<UtcNs> absent : {std::optional<UtcNs>(), std::optional(at(100))})
            for (const int deletes : {0, 3}) {
              Lease lease = reachable_lease();
              lease.state = static_cast<LeaseState>(state);
              lease.idempotent = idempotent;
              lease.creates = lease.creates_answered = creates;
              lease.machine = machine;
              lease.absent = absent;
              lease.deletes = deletes;
              if (!is_used(lease)) lease.reason = "done";
              if (!is_used(lease)) lease.ending = at(80);
              if (!is_open(lease)) lease.gone = at(90);
              leases.push_back(lease);
            }
  }
  const auto facts = all_facts();
  for (const Lease& lease : leases)
    for (const LeaseFact& fact : facts)
      for (const UtcNs now : {at(10), at(361), at(1201)}) check_step(lease, fact, now);
}

}  // namespace
}  // namespace lapcast
