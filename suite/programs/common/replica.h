#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/share.h"

namespace lapcast::workloads {

/// Holds what the replicas of a training share besides tensors. It lies at the begin of a memory
/// file that all of them map, and only the replica of a row writes into it.
struct ReplicaBoard {
  static constexpr int64_t kMost = 64;  // replicas
  static constexpr size_t kErrorBytes = 400;

  struct Row {
    std::atomic<int64_t> exchanges;    ///< of all laps but the first
    std::atomic<int64_t> exchange_ns;  ///< that they took
    std::atomic<int64_t> pushes;       ///< of gradients to weights that all share
    std::atomic<int64_t> staleness;    ///< of these pushes, added up
    std::atomic<int64_t> stalest;      ///< the largest
    std::array<double, 3> score;       ///< loss, correct answers, samples
    std::array<char, kErrorBytes> error;
  };

  pid_t parent;
  pthread_barrier_t meeting;
  pthread_mutex_t turn;                    ///< to change weights that all share
  std::atomic<int64_t> updates;            ///< of these weights
  std::atomic<int64_t> step_ns;            ///< that rank 0 took for the optimizer's last step
  std::atomic<int64_t> validation_wanted;  ///< samples, as rank 0 was asked
  std::array<char, 128> nccl_id;
  std::array<Row, kMost> rows;
};

/// Identifies this process among those that train together.
struct Replica {
  Share share;
  ReplicaBoard* board = nullptr;  ///< nullptr: it trains alone
  int memory = -1;                ///< file of the shared memory; tensors may begin at kTensorsAt

  static constexpr int64_t kTensorsAt = 1 << 16;

  bool alone() const { return board == nullptr; }

  /// Waits until all replicas have called it.
  void meet() const;

  /// Keeps why this replica ends with an error, for the one line that run_replicas() prints.
  void keep_error(std::string_view error) const;
};
static_assert(sizeof(ReplicaBoard) <= Replica::kTensorsAt);

/// Returns which replica this process is: one that run_replicas() started, or a process that trains
/// alone. A replica ends with the process that started it. Throws std::runtime_error when the
/// shared memory cannot be mapped.
Replica this_replica();

/// Starts this program once more for each replica, with the same arguments, each on its own share
/// of the CPUs (of one CPU, where there are fewer CPUs than replicas), and waits for them. Where
/// one fails, the others are ended and one line on stderr says which and why. Where this process
/// gets a signal that ends it, all are ended first. Returns the exit status: of the failed replica,
/// or 0.
int run_replicas(const std::string& program, int64_t count, char** argv);

}  // namespace lapcast::workloads
