#include "common/server_exchange.h"

#include <c10/core/GradMode.h>

#include <algorithm>

namespace lapcast::workloads {
namespace {

std::vector<at::Tensor> state_of(const Optimizer& optimizer) {
  std::vector<at::Tensor> all;
  for (const OptimizerState& part : optimizer.state()) {
    all.insert(all.end(), part.tensors.begin(), part.tensors.end());
  }
  return all;
}

/// Holds the turn to change what all replicas share.
class Turn {
 public:
  explicit Turn(ReplicaBoard& board) : board_(board) { pthread_mutex_lock(&board_.turn); }
  ~Turn() { pthread_mutex_unlock(&board_.turn); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  ReplicaBoard& board_;
};

}  // namespace

ServerExchange::ServerExchange(const Replica& replica, Network& network, Optimizer& optimizer)
    : MemoryExchange(replica, network, optimizer),
      gradients_(replica.memory, free_at(), parameters(), replica.share.replicas),
      weights_(replica.memory, gradients_.end(), parameters(), 1) {}

void ServerExchange::serve() {
  const c10::AutoGradMode no_grad(false);
  at::Tensor sums = gradients_.row(0);
  for (int64_t rank = 1; rank < replica().share.replicas; ++rank) sums.add_(gradients_.row(rank));
  take_gradients(gradients_.of(0));
  const Stopwatch watch;
  optimizer().step();
  replica().board->step_ns = watch.ns();
  copy_tensors(parameters(), weights_.of(0));
  tell_wanted();
}

int64_t ServerExchange::exchange_and_step(double weight) {
  const Stopwatch watch;
  const bool is_server = replica().share.rank == 0;
  give_gradients(weight, gradients_.of(replica().share.rank));
  meet();  // All gradients are there, and nobody needs the last weights any more.
  if (is_server) serve();
  meet();
  hear_wanted();
  if (!is_server) copy_tensors(weights_.of(0), parameters());
  return watch.ns() - replica().board->step_ns;
}

AsyncExchange::AsyncExchange(const Replica& replica, Network& network, Optimizer& optimizer)
    : MemoryExchange(replica, network, optimizer),
      weights_(replica.memory, free_at(), parameters(), 1),
      state_(state_of(optimizer)),
      shared_state_(replica.memory, weights_.end(), state_, 1) {
  share_state();
}

void AsyncExchange::share_state() {
  const c10::AutoGradMode no_grad(false);
  if (replica().share.rank == 0) {
    copy_tensors(parameters(), weights_.of(0));
    copy_tensors(state_, shared_state_.of(0));
  }
  meet();
  for (size_t i = 0; i < state_.size(); ++i) state_[i].set_data(shared_state_.of(0)[i]);
}

void AsyncExchange::settle() {
  meet();  // Nobody steps before all have met again.
  copy_tensors(weights_.of(0), parameters());
  updates_seen_ = replica().board->updates;
  MemoryExchange::settle();
}

int64_t AsyncExchange::exchange_and_step(double weight) {
  if (!(weight > 0)) return 0;  // no samples, as of a small last batch
  const Stopwatch watch;
  ReplicaBoard& board = *replica().board;
  const Turn turn(board);
  const int64_t staleness = board.updates - updates_seen_;
  copy_tensors(weights_.of(0), parameters());
  const Stopwatch step;
  optimizer().step();
  const int64_t step_ns = step.ns();
  copy_tensors(parameters(), weights_.of(0));
  updates_seen_ = ++board.updates;
  row().pushes += 1;
  row().staleness += staleness;
  row().stalest = std::max<int64_t>(row().stalest, staleness);
  return watch.ns() - step_ns;
}

}  // namespace lapcast::workloads
