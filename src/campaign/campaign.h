#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "campaign/executor.h"
#include "campaign/held_memory.h"
#include "campaign/machine_supply.h"
#include "campaign/schedule.h"
#include "campaign/start_kind.h"
#include "probe/ids_and_time.h"
#include "probe/request.h"
#include "run/run.h"
#include "store/store.h"

namespace lapcast {

struct MeanTime {
  Seconds sum{0};
  double count = 0;

  void add(Seconds each) { sum += each, ++count; }
  /// Returns the mean, or `otherwise` if no duration was added.
  Seconds or_else(Seconds otherwise) const { return count > 0 ? sum / count : otherwise; }
};

struct RunUnderWay {
  std::string name;    // "1c-avx2 batch=128"
  std::string state;   // "lap 12: ..."
  bool waits = false;  // as ProbeProgress::waits
  std::string row() const { return name + ": " + state; }
};

struct CampaignProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  std::size_t failed = 0;
  std::optional<Seconds> eta;  // wall time, estimated from finished probes; none before one
  std::vector<RunUnderWay> running;
  std::string rent = {};  // what rented machines cost so far and at most; empty = none are rented
};

struct CampaignListener {
  std::function<void(const CampaignProgress&)> on_progress;
  std::function<void(const Run&)> on_run;  // after it was stored
};

/// All references must outlive the campaign.
struct CampaignTools {
  Executor& executor;
  Store& store;
  Interrupt& interrupt;
  CampaignListener listener = {};
  std::function<std::string()> now = utc_now;  // in UTC
  MachineSupply* supply = nullptr;             // of machines that have to be rented; nullptr = none
};

/// Decides what a campaign starts and how it reacts to the results of its runs: plain probes, or a
/// race.
class CampaignPolicy {
 public:
  using Index = Schedule::Index;  // of a request of the campaign

  virtual ~CampaignPolicy() = default;
  /// Starts what can run now, and resumes suspended runs.
  virtual void start_what_can_run() = 0;
  /// Takes what was measured so far of a run that is suspended until its next round, or of a
  /// watched run.
  virtual void take_so_far(Index, Run) {}
  /// Takes a run that has ended, after it was stored.
  virtual void take_run(Index, const Run& run) = 0;
  /// Ends the runs when the user interrupts the campaign. Returns whether all workers should be
  /// told directly.
  virtual bool end_at_interrupt([[maybe_unused]] bool first) { return true; }
  virtual CampaignProgress progress() const = 0;
  /// Returns whether a request may still be started, or goes on. A machine that was rented for
  /// requests of which none is wanted is given back.
  virtual bool wants(Index) const { return true; }
};

/// Runs the probes that a policy chooses in worker processes, in parallel where they share no
/// hardware, and stores each run as soon as it ends.
class Campaign {
 public:
  using Index = CampaignPolicy::Index;

  Campaign(std::vector<ProbeRequest> requests, CampaignTools tools);

  /// Returns when nothing runs and the policy starts nothing more. Throws Error when the store or
  /// the machine refuses what is needed; finished runs stay stored.
  void run(CampaignPolicy& policy);

  // A policy uses the functions below.

  /// Starts the first request in order that was never started and whose hardware is free. Returns
  /// false when there is none.
  bool start_next();
  /// Starts a request and takes its hardware.
  void start(Index index);
  /// Gives an order (probe/orders.h) to the run of a request.
  void order(Index index, const std::string& line);
  /// Returns whether nothing else runs on the hardware of a request.
  bool may_run(Index index) const { return holds_[index] || schedule_.is_free(index); }
  /// Leaves the hardware of a suspended run to others; take_hardware() takes it again.
  void leave_hardware(Index index);
  void take_hardware(Index index);
  /// Returns Schedule::wall_time() of `left`, which has whole run times, less the time that each
  /// run under way has already run.
  Seconds time_left(std::vector<Seconds> left) const;
  /// Stores what was measured so far of a run that goes on; its end will replace that. Ignores
  /// errors of the store: those that last are reported when the run ends.
  void save(Index index, const Run& so_far);
  /// Shows a run to the listener.
  void show(const Run& run) const;

  /// Returns the memory that the program of a request holds while suspended; nullptr if it is not.
  using HeldBy = std::function<const HeldMemory*(Index)>;
  /// Returns the memory that suspended programs at the place of a request hold, including its own.
  std::vector<const HeldMemory*> held_at_place_of(Index index, const HeldBy& held_by) const;

  ProbeRequest& request(Index index) { return requests_[index]; }
  const Place& place_of(Index index) const { return requests_[index].place_setup.place; }
  const std::vector<ProbeRequest>& requests() const { return requests_; }
  const std::map<Executor::Ticket, Index>& running() const { return by_ticket_; }
  const ProbeProgress& progress_of(Index index) const { return progress_[index]; }
  /// Returns what the run of a request is doing; `stage` is added to the candidate's name.
  RunUnderWay under_way(Index index, const std::string& stage = "") const;
  bool was_interrupted() const { return interrupted_; }

 private:
  using Clock = std::chrono::steady_clock;

  /// Holds what was noticed of a machine that has to be rented.
  struct RentedMachine {
    int life = 0;
    bool is_open = false;                      // requests may start on it
    std::optional<std::string> why_none = {};  // no machine will come
    std::optional<Seconds> boot = {};          // to be noted in the first run on it
  };

  void begin(Index index);
  void pass_on_interrupt(CampaignPolicy& policy);
  void take(Executor::Event& event, CampaignPolicy& policy);
  void take_end(Index index, Run run, CampaignPolicy& policy);
  void tell(const CampaignPolicy& policy);
  RentedMachine* rented(Index index);
  void follow_supply(const CampaignPolicy& policy);
  void look_at_machine(const std::string& name, RentedMachine& known);
  void use_machine(const std::string& name, const SuppliedMachine& machine);
  void order_all_on(const std::string& name, const std::string& line);
  std::vector<std::string> machines_left(const CampaignPolicy& policy) const;
  bool awaits_machine(const CampaignPolicy& policy) const;
  std::vector<Executor::Event> take_events();

  std::vector<ProbeRequest> requests_;
  Schedule schedule_;
  CampaignTools tools_;
  Starts starts_;
  std::vector<bool> holds_;              // the requests whose hardware is taken
  std::vector<ProbeProgress> progress_;  // of each request's run under way
  std::map<Executor::Ticket, Index> by_ticket_;
  std::map<Index, Executor::Ticket> tickets_;
  std::set<Index> saved_;                        // runs under way of which the store has a part
  std::map<std::string, RentedMachine> rented_;  // by machine type
  std::vector<Executor::Event> own_events_;      // of requests whose machine will never come
  Clock::time_point tell_at_{};
  int interrupts_passed_on_ = 0;
  bool interrupted_ = false;
};

struct CampaignResult {
  std::size_t finished = 0;
  std::size_t failed = 0;    // those of them without laps, or crashed
  bool interrupted = false;  // by the user; the runs in flight are stored as interrupted
};

/// Runs each request once, in their order and in parallel where they share no hardware. A failed
/// run never stops the others. Throws Error as Campaign::run() does.
CampaignResult run_campaign(std::vector<ProbeRequest> requests, CampaignTools tools);

/// Starts to remove what stored runs left on remote machines because lapcast was killed or the
/// machine was out of reach. Executor::take_removed() returns what was removed. What was on a
/// machine that may vanish (ProbeRequest::save_every) is left to the end of that machine.
void remove_leftovers(Store& store, Executor& executor);

/// Removes from the store the pending runs of which nothing is left on their machines. With `all`,
/// first waits for the removals under way.
void note_removed(Store& store, Executor& executor, bool all);

/// Removes what a killed lapcast left: run folders below `run_parent` and CPU quota cgroups.
void remove_stale_run_folders_and_cgroups(const std::filesystem::path& run_parent);

}  // namespace lapcast
