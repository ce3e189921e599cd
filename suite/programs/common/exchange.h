#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/network.h"
#include "common/optimizer.h"
#include "common/replica.h"
#include "common/train.h"

namespace lapcast::workloads {

/// Lets the replicas of a training exchange what they learn. All of them must make the same calls
/// in the same order; where an exchange is not synchronous, each makes its steps at its own pace.
class Exchange {
 public:
  Exchange(const Replica& replica, Optimizer& optimizer)
      : replica_(replica), optimizer_(optimizer) {}
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Makes one step with the gradients of this replica's part of a batch, which has the `weight` of
  /// the whole batch; where it is 0 there are none. Rank 0 reports the metric exchange_seconds, and
  /// staleness where gradients can be stale.
  void step(double weight);

  /// Returns whether all replicas make the same step together.
  virtual bool is_synchronous() const = 0;

  /// Brings the replicas to one state, at the end of an epoch: the newest weights, and rank 0's
  /// running averages. Waits for all.
  virtual void settle() { meet(); }

  /// Returns the sum of the scores of all replicas, the same one to each; waits for all.
  Score sum(const Score& own);

  /// Returns on how many samples all shall validate now: what rank 0 was asked during the last
  /// step. Only a synchronous exchange knows.
  int64_t validation_wanted() const { return validation_wanted_; }

  void meet() const { replica_.meet(); }

  /// Returns whether gradients were late by the steps of others, as those of an asynchronous
  /// exchange.
  bool is_stale() const;

  /// Returns in words how long the exchanges of a lap took, and how stale gradients were; empty
  /// where there were none. To be called after a meeting.
  std::string describe() const;

 protected:
  /// Exchanges and steps. Returns the nanoseconds of the exchange alone.
  virtual int64_t exchange_and_step(double weight) = 0;

  /// Tells all what rank 0 was asked. A step calls the first before a meeting and the second behind
  /// it, and meets once more before the next step calls the first.
  void tell_wanted();
  void hear_wanted() { validation_wanted_ = replica_.board->validation_wanted; }

  const Replica& replica() const { return replica_; }
  ReplicaBoard::Row& row() {
    return replica_.board->rows[static_cast<size_t>(replica_.share.rank)];
  }
  Optimizer& optimizer() { return optimizer_; }
  const std::vector<at::Tensor>& parameters() const { return optimizer_.parameters(); }

 private:
  Replica replica_;
  Optimizer& optimizer_;
  int64_t laps_ = 0;
  int64_t validation_wanted_ = 0;
};

/// Makes the exchange of that name: "allreduce", "server", "server-async" or "none". Network and
/// optimizer have the parameters and the state with which the training begins. Waits for all.
std::unique_ptr<Exchange> make_exchange(const std::string& name, const Replica& replica,
                                        Network& network, Optimizer& optimizer);

}  // namespace lapcast::workloads
