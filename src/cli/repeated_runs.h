#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/view/campaign_display.h"
#include "cli/globals.h"
#include "cli/probe_options.h"
#include "core/result.h"
#include "fleet/executor.h"
#include "stats/repeat_rule.h"

namespace lapcast {

/// How a program is repeated, as text until it is checked.
struct RepeatOptions {
  std::size_t repeats = 10;
  bool again = false;
  bool keep = false;
  ProbeOptions start;  // only what add_end_to() adds

  void add_to(CLI::App& app);
  RepeatRule rule() const { return {.at_least = repeats}; }
};

/// The finished runs of a set, those of earlier commands included.
struct RunSet {
  std::string id;
  std::vector<Run> runs;
  std::string reason;  // why there are not more; empty = there are enough
  bool interrupted = false;
};

/// Runs programs to their end, again and again, until their times are known well enough. All runs
/// of one program, settings and machine are one set in the store: what an interrupted command
/// finished counts for the next one.
class RepeatedRuns {
 public:
  /// What is known to the precision wanted; a run that has no such value has failed.
  using Value = std::function<Result<double>(const Run&)>;

  RepeatedRuns(const Globals& globals, const RepeatOptions& options, Store& store,
               Interrupt& interrupt);

  /// Where the program has a placeholder {seed}, it is the number of the run. A run that fails ends
  /// the set for this time; the reason says how.
  RunSet complete(RunContext context, const std::string& subject, const Value& value);

  /// One run of a program that ends by itself, in no set, whatever comes of it.
  Run once(RunContext context, const std::string& subject);

  CampaignDisplay& display() { return display_; }

 private:
  Run run_once(RunContext context, std::size_t done, std::size_t expected);
  RunContext numbered(RunContext context, std::size_t number) const;
  Sweep set_of(const std::string& key, const RunContext& context, const std::string& subject);
  ProbeRequest request_for(RunContext context) const;
  std::string key_of(RunContext context) const;

  const RepeatOptions& options_;
  Store& store_;
  Interrupt& interrupt_;
  WorkerExecutor executor_;
  CampaignDisplay display_;
  Seconds spent_{0};  // in runs of the set under way
  std::size_t ran_ = 0;
};

}  // namespace lapcast
