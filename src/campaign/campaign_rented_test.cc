#include <gmock/gmock.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using State = SuppliedMachine::State;

/// Lets the machine of each name come after some steps, or end with a reason.
class FakeSupply : public MachineSupply {
 public:
  void begin(const std::string&, bool) override {}
  void step(const std::vector<std::string>& left) override {
    lefts.push_back(left);
    for (const std::string& name : left) {
      SuppliedMachine& machine = machines[name];
      if (machine.state == State::waiting && machine.why.empty())
        machine.state = State::coming;
      else if (machine.state == State::coming && never.contains(name))
        machine = {.state = State::ended, .life = 1, .why = never.at(name)};
      else if (machine.state == State::coming)
        machine = {.state = State::ready,
                   .life = machine.life,
                   .place = place_by_config("lapcast-" + name, "config"),
                   .boot = Seconds{40}};
    }
  }
  const SuppliedMachine* find(const std::string& name) const override {
    const auto found = machines.find(name);
    return found == machines.end() ? nullptr : &found->second;
  }
  void note_silence(const std::string&, Seconds) override {}
  void note_fetched(const std::string& name, std::int64_t bytes) override {
    fetched[name] += bytes;
  }
  void refuse(const std::string& name, const std::string& why) override {
    machines[name] = {.state = State::ended, .life = 1, .why = why};
  }
  std::string cost_text() const override { return "$1 of at most $2 for machines"; }
  void finish() override {}
  std::vector<SuppliedLease> leases() const override { return {}; }

  std::map<std::string, SuppliedMachine> machines;
  std::map<std::string, std::int64_t> fetched;  // bytes, by name
  std::map<std::string, std::string> never;     // why, by name
  std::vector<std::vector<std::string>> lefts;
};

class RentedCampaignTest : public FolderTest {
 protected:
  static ProbeRequest request(const std::string& name) {
    ProbeRequest request;
    request.context.id = new_id();
    request.context.machine_type.name = name;
    request.place_setup.place = RentedPlace{"fake", "small", ""};
    request.context.place = describe(request.place_setup.place);
    return request;
  }
  CampaignResult run(std::vector<ProbeRequest> requests) {
    for (const ProbeRequest& each : requests) supply_.machines[each.context.machine_type.name];
    return run_campaign(
        std::move(requests),
        {executor_, store_, interrupt_, {}, [this] { return executor_.now(); }, &supply_});
  }
  std::map<std::string, std::string> outcomes() const {
    std::map<std::string, std::string> found;
    for (const lapcast::Run& run : store_.runs())
      found[run.context.machine_type.name] = describe(run.outcome);
    return found;
  }

  Interrupt interrupt_;
  FakeExecutor executor_;
  FakeSupply supply_;
  Store store_ = Store::open(folder_ / "store.db");
};

TEST_F(RentedCampaignTest, ARunStartsWhenItsMachineIsThere) {
  const CampaignResult result = run({request("a"), request("b"), request("a")});
  EXPECT_EQ(result.finished, 3u);
  EXPECT_EQ(result.failed, 0u);
  ASSERT_EQ(executor_.requests.size(), 3u);
  for (const ProbeRequest& started : executor_.requests) {
    EXPECT_EQ(describe(started.place_setup.place),
              "ssh lapcast-" + started.context.machine_type.name);
    EXPECT_TRUE(started.save_every.has_value());
    EXPECT_EQ(started.context.place, "rented fake small");  // which names the type, not the lease
  }
  EXPECT_THAT(supply_.lefts.front(), ElementsAre("a", "b"));
}

TEST_F(RentedCampaignTest, TheFirstRunOfAMachineHasItsBoot) {
  run({request("a"), request("a")});
  std::vector<Seconds> boots;
  for (const lapcast::Run& run : store_.runs()) boots.push_back(preparation_time(run, kBootStep));
  EXPECT_THAT(boots, testing::UnorderedElementsAre(Seconds{40}, Seconds{0}));
}

TEST_F(RentedCampaignTest, BytesThatCameAreNotedForTheirMachine) {
  executor_.fetched = 1000;
  run({request("a"), request("b"), request("a")});
  EXPECT_THAT(supply_.fetched, ElementsAre(testing::Pair("a", 2000), testing::Pair("b", 1000)));
}

TEST_F(RentedCampaignTest, RequestsOfAMachineThatNeverComesEndWithTheReason) {
  supply_.never["b"] = "no capacity";
  const CampaignResult result = run({request("b"), request("a"), request("b")});
  EXPECT_EQ(result.finished, 3u);
  EXPECT_EQ(result.failed, 2u);
  EXPECT_EQ(outcomes()["b"], "not started: no capacity");
  EXPECT_THAT(executor_.started, ElementsAre("a"));
}

TEST_F(RentedCampaignTest, AMachineWithoutWorkIsNoLongerNamed) {
  run({request("a"), request("b"), request("b")});
  EXPECT_THAT(supply_.lefts, Contains(ElementsAre("b")));
  EXPECT_THAT(executor_.started, ElementsAre("a", "b", "b"));
}

TEST_F(RentedCampaignTest, AMachineThatIsNotAsOrderedIsRefused) {
  executor_.outcomes["a"] =
      outcome::NotStarted{"lapcast-a: not the machine that was ordered: ordered L4, got T4"};
  const CampaignResult result = run({request("a"), request("a")});
  EXPECT_EQ(result.failed, 2u);
  EXPECT_THAT(executor_.started, ElementsAre("a"));  // the second one was not tried
  EXPECT_THAT(outcomes()["a"], HasSubstr("ordered L4, got T4"));
}

}  // namespace
}  // namespace lapcast
