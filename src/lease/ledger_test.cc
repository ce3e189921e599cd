// These tests have several processes on one ledger, and processes that are killed.
#include "lease/ledger.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "lease/lease_fixture_test.h"
#include "lease/lease_json.h"
#include "posix/folder_test.h"

namespace lapcast {
namespace {

using testing::HasSubstr;
using LedgerTest = FolderTest;

Money dollars(const char* amount) {
  return Money::parse(amount);
}

/// Returns a lease that costs $0.10 until its deadline: 15 min at $0.40 an hour.
Lease dime_lease(const std::string& id, const std::string& scope = "sweep") {
  Lease lease = new_lease();
  lease.id = id;
  lease.scope = scope;
  lease.order.term = Seconds{900};
  lease.deadline = at(900);
  lease.creates = 1;
  return lease;
}

RentLimits limits(const char* most, const std::string& scope = "sweep") {
  return {.scope = scope, .most = dollars(most), .most_a_month = {}};
}

TEST_F(LedgerTest, KeepsEveryMemberOfALease) {
  Lease lease = reachable_lease();
  lease.order.options = {{"disk", "50 GB"}};
  lease.preempted_at = at(99);
  lease.refusal = RentRefusal::no_such_offer;
  lease.protection = Protection::machine;
  lease.host_key = "ssh-ed25519 AAAA";
  lease.keep_until = at(300);
  lease.order.egress = dollars("0.09");
  lease.order.may_fetch = 7;
  lease.fetched = 5;
  const auto read = parse_lease(lease_json(lease));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(*read, lease);

  Ledger ledger = Ledger::open(folder_);
  ASSERT_TRUE(ledger.add(lease, limits("1")));
  EXPECT_EQ(ledger.find(lease.id), lease);
  EXPECT_THAT(ledger.find_all("5cb6"), testing::ElementsAre(lease));
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "leases.db").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600);
}

TEST_F(LedgerTest, FindsTheLeasesOfASearch) {
  Ledger ledger = Ledger::open(folder_);
  const Lease first = dime_lease("000000000001", "a 'quoted' search");
  ASSERT_TRUE(ledger.add(first, limits("1", "a 'quoted' search")));
  ASSERT_TRUE(ledger.add(dime_lease("000000000002", "another"), limits("1", "another")));
  EXPECT_THAT(ledger.leases_of("a 'quoted' search"), testing::ElementsAre(first));
  EXPECT_THAT(ledger.leases_of("a"), testing::IsEmpty());
}

TEST_F(LedgerTest, TheGateCountsWhatWasBilledWhatIsOpenAndTheNextOne) {
  Ledger ledger = Ledger::open(folder_);
  Lease gone = dime_lease("000000000001");
  gone.state = LeaseState::gone;
  gone.was_listed = true;
  gone.gone = at(90);  // $0.01
  ASSERT_TRUE(ledger.add(gone, limits("0.11")));
  ASSERT_TRUE(ledger.add(dime_lease("000000000002"), limits("0.11"))) << "0.01 + 0.10";
  const auto refused = ledger.add(dime_lease("000000000003"), limits("0.2099"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("it may cost $0.10 until its deadline"));
  EXPECT_FALSE(ledger.find("000000000003"));
  EXPECT_TRUE(ledger.add(dime_lease("000000000003"), limits("0.21"))) << "0.01 + 0.10 + 0.10";
  EXPECT_TRUE(ledger.add(dime_lease("000000000004", "other"), limits("0.10", "other")));
}

TEST_F(LedgerTest, APriceThatIsNotToldCountsAsTheMostThatWasAllowed) {
  Ledger ledger = Ledger::open(folder_);
  Lease lease = dime_lease("000000000001");
  lease.price = HourlyPrice{dollars("0.20")};
  ASSERT_TRUE(ledger.add(lease, limits("0.10")));
  EXPECT_FALSE(ledger.add(dime_lease("000000000002"), limits("0.19")));
  lease.price_is_told = true;
  ledger.update(lease.id, [&](Lease& stored) { stored = lease; });  // $0.05 until its deadline
  EXPECT_TRUE(ledger.add(dime_lease("000000000002"), limits("0.15")));
}

TEST_F(LedgerTest, EgressIsPromisedBeforeItIsFetched) {
  Ledger ledger = Ledger::open(folder_);
  Lease lease = dime_lease("000000000001");
  lease.order.egress = dollars("1");
  const auto refused = ledger.add(lease, limits("0.19"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text,
              HasSubstr("it may cost $0.20 until its deadline, $0.10 of it for 0.1 GB that are"));
  ASSERT_TRUE(ledger.add(lease, limits("0.20"))) << "0.10 + 0.1 GB of 1 USD";
  EXPECT_FALSE(ledger.allow_to_fetch(lease.id, 200'000'000, limits("0.29")));
  EXPECT_EQ(ledger.find(lease.id)->order.may_fetch, kFirstFetch);
  ASSERT_TRUE(ledger.allow_to_fetch(lease.id, 200'000'000, limits("0.30")));
  EXPECT_EQ(ledger.find(lease.id)->order.may_fetch, 200'000'000);
  EXPECT_FALSE(ledger.add(dime_lease("000000000002"), limits("0.39")));
  EXPECT_TRUE(ledger.add(dime_lease("000000000002"), limits("0.40")));
}

TEST_F(LedgerTest, WhatWasFetchedCosts) {
  Lease lease = dime_lease("000000000001");
  lease.was_listed = true;
  lease.fetched = 50'000'000;
  EXPECT_EQ(cost_so_far(lease, at(90)), dollars("0.01")) << "no price of egress is known";
  lease.order.egress = dollars("1");
  EXPECT_EQ(cost_so_far(lease, at(90)), dollars("0.06"));
  EXPECT_EQ(worst_cost(lease, at(90)), dollars("0.20")) << "0.1 GB may be fetched";
  lease.fetched = 300'000'000;
  EXPECT_EQ(worst_cost(lease, at(90)), dollars("0.40"));
}

TEST_F(LedgerTest, TheMonthlyLimitHoldsOverAllSweeps) {
  Ledger ledger = Ledger::open(folder_);
  RentLimits a = limits("1", "a"), b = limits("1", "b");
  a.most_a_month = b.most_a_month = dollars("0.15");
  ASSERT_TRUE(ledger.add(dime_lease("000000000001", "a"), a));
  const auto refused = ledger.add(dime_lease("000000000002", "b"), b);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("this month"));
}

TEST_F(LedgerTest, AClearRefusalDoesNotHoldTheMoneyOfTheNextZone) {
  Ledger ledger = Ledger::open(folder_);
  Lease refused = dime_lease("000000000001");
  refused = next_step(refused, RefusedFact{RentRefusal::capacity, "none"}, at(1)).lease;
  ASSERT_TRUE(ledger.add(refused, limits("1")));
  // 2 min in which a machine that exists all the same is found: $0.0134
  EXPECT_TRUE(ledger.add(dime_lease("000000000002"), limits("0.114")));
}

TEST_F(LedgerTest, TwoProcessesCannotSpendTheSameMoney) {
  Ledger::open(folder_);
  std::vector<pid_t> children;
  for (int process = 0; process < 2; ++process) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    Ledger ledger = Ledger::open(folder_);
    int added = 0;
    for (int i = 0; i < 20; ++i)
      if (ledger.add(dime_lease(std::to_string(process) + std::to_string(i)), limits("1"))) ++added;
    _exit(added);
  }
  int added = 0;
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    added += WEXITSTATUS(status);
  }
  EXPECT_EQ(added, 10);  // of $0.10 each
  EXPECT_EQ(Ledger::open(folder_).all_leases().size(), 10U);
}

/// Adds leases and changes them without end; says how many are in the ledger.
[[noreturn]] void change_until_killed(const std::filesystem::path& folder, int process, int pipe) {
  Ledger ledger = Ledger::open(folder);
  for (int i = 0;; ++i) {
    const std::string id = std::to_string(process) + "-" + std::to_string(i);
    if (!ledger.add(dime_lease(id), limits("1000"))) _exit(1);
    ledger.update(id, [](Lease& lease) { lease.machine = "m"; });
    ledger.add_event(id, "create answered");
    if (write(pipe, &i, sizeof i) != sizeof i) _exit(1);
  }
}

TEST_F(LedgerTest, AKilledProcessLosesNothingThatWasWritten) {
  for (int process = 0; process < 6; ++process) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) change_until_killed(folder_, process, ends[1]);
    close(ends[1]);
    int said = 0;
    int number = 0;
    while (said < process * process && read(ends[0], &number, sizeof number) == sizeof number)
      ++said;
    kill(child, SIGKILL);
    while (read(ends[0], &number, sizeof number) == sizeof number) ++said;
    close(ends[0]);
    waitpid(child, nullptr, 0);
    const Ledger ledger = Ledger::open(folder_);
    for (int i = 0; i < said; ++i) {
      const std::string id = std::to_string(process) + "-" + std::to_string(i);
      ASSERT_TRUE(ledger.find(id)) << id;
      EXPECT_EQ(ledger.find(id)->machine, "m");
      EXPECT_EQ(ledger.events_of(id).size(), 1U);
    }
  }
  SQLite::Database db(folder_ / "leases.db");
  EXPECT_EQ(db.execAndGet("PRAGMA integrity_check").getString(), "ok");
}

TEST_F(LedgerTest, ALeaseIsHeldAsLongAsItsHolderLives) {
  const Ledger ledger = Ledger::open(folder_);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FileLock lock = ledger.hold("5cb6fbbacaca");
    const char held = lock.is_held() ? 'y' : 'n';
    if (write(ends[1], &held, 1) != 1) _exit(1);
    pause();
  }
  char held = 0;
  ASSERT_EQ(read(ends[0], &held, 1), 1);
  EXPECT_EQ(held, 'y');
  EXPECT_TRUE(ledger.is_held("5cb6fbbacaca"));
  EXPECT_FALSE(ledger.hold("5cb6fbbacaca").is_held());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(ledger.is_held("5cb6fbbacaca"));
  EXPECT_TRUE(ledger.hold("5cb6fbbacaca").is_held());
}

TEST_F(LedgerTest, AFileOfAnotherProgramIsRefused) {
  write_text(folder_ / "leases.db", "my diary, which is longer than the header of an SQLite file");
  try {
    Ledger::open(folder_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::store_failed);
    EXPECT_THAT(error.what(), HasSubstr("leases.db"));
  }
}

}  // namespace
}  // namespace lapcast
