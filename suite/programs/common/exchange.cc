#include "common/exchange.h"

#include <lapcast/lap.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

#include "common/memory_exchange.h"
#include "common/nccl_exchange.h"
#include "common/server_exchange.h"

namespace lapcast::workloads {
namespace {

/// Lets every replica train for itself: what laps are without exchanges.
class NoExchange : public Exchange {
 public:
  using Exchange::Exchange;
  bool is_synchronous() const override { return false; }

 protected:
  int64_t exchange_and_step(double weight) override {
    if (weight > 0) optimizer().step();
    return 0;
  }
};

/// Returns the mean seconds of an exchange of the replica that waits least for the others. Its laps
/// would be shorter by as much without exchanges. Nothing where there were none.
std::optional<double> exchange_seconds(const Replica& replica) {
  double least = std::numeric_limits<double>::infinity();
  for (int64_t rank = 0; rank < replica.share.replicas; ++rank) {
    const ReplicaBoard::Row& row = replica.board->rows[static_cast<size_t>(rank)];
    const int64_t exchanges = row.exchanges;
    if (exchanges == 0) return std::nullopt;
    least = std::min(least, static_cast<double>(row.exchange_ns) / static_cast<double>(exchanges));
  }
  return least > 0 ? std::optional(least * 1e-9) : std::nullopt;
}

struct Staleness {
  int64_t pushes = 0;
  int64_t sum = 0;
  int64_t most = 0;
  double mean() const { return static_cast<double>(sum) / static_cast<double>(pushes); }
};

/// Adds up the pushes of all replicas.
Staleness staleness_of(const Replica& replica) {
  Staleness all;
  for (const ReplicaBoard::Row& row : replica.board->rows) {
    all.pushes += row.pushes;
    all.sum += row.staleness;
    all.most = std::max<int64_t>(all.most, row.stalest);
  }
  return all;
}

}  // namespace

void Exchange::step(double weight) {
  const int64_t ns = exchange_and_step(weight);
  // The first exchange is left out: memory is touched for the first time.
  if (++laps_ == 1) return;
  row().exchange_ns += ns;
  row().exchanges += 1;
  if (replica_.share.rank != 0) return;
  if (const auto seconds = exchange_seconds(replica_)) {
    lapcast_metric("exchange_seconds", *seconds);
  }
  if (const Staleness stale = staleness_of(replica_); stale.pushes > 0) {
    lapcast_metric("staleness", stale.mean());
  }
}

Score Exchange::sum(const Score& own) {
  row().score = {own.loss_sum, static_cast<double>(own.correct), static_cast<double>(own.samples)};
  meet();
  Score all;
  for (int64_t rank = 0; rank < replica_.share.replicas; ++rank) {
    const auto& score = replica_.board->rows[static_cast<size_t>(rank)].score;
    all += {score[0], static_cast<int64_t>(score[1]), static_cast<int64_t>(score[2])};
  }
  meet();
  return all;
}

bool Exchange::is_stale() const {
  return staleness_of(replica_).pushes > 0;
}

std::string Exchange::describe() const {
  const auto seconds = exchange_seconds(replica_);
  if (!seconds) return "";
  char text[160];
  std::snprintf(text, sizeof text, "exchanges took %.3g ms of each lap", *seconds * 1e3);
  std::string words = text;
  if (const Staleness stale = staleness_of(replica_); stale.pushes > 0) {
    std::snprintf(
        text, sizeof text, ", staleness of %lld gradients: %.2f steps on average, at most %lld",
        static_cast<long long>(stale.pushes), stale.mean(), static_cast<long long>(stale.most));
    words += text;
  }
  return words;
}

void Exchange::tell_wanted() {
  if (replica_.share.rank == 0) replica_.board->validation_wanted = lapcast_validation_wanted();
}

std::unique_ptr<Exchange> make_exchange(const std::string& name, const Replica& replica,
                                        Network& network, Optimizer& optimizer) {
  std::unique_ptr<Exchange> exchange;
  if (name == "none") {
    exchange = std::make_unique<NoExchange>(replica, optimizer);
  } else if (name == "server") {
    exchange = std::make_unique<ServerExchange>(replica, network, optimizer);
  } else if (name == "server-async") {
    exchange = std::make_unique<AsyncExchange>(replica, network, optimizer);
  } else if (optimizer.parameters().front().is_cuda()) {
    exchange = std::make_unique<NcclAllReduce>(replica, network, optimizer);
  } else {
    exchange = std::make_unique<MemoryAllReduce>(replica, network, optimizer);
  }
  exchange->meet();
  return exchange;
}

}  // namespace lapcast::workloads
