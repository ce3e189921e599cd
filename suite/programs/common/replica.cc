#include "common/replica.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace lapcast::workloads {
namespace {

/// Returns a number of the environment, or -1.
int number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  int number = -1;
  if (text) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

}  // namespace

void Replica::meet() const {
  pthread_barrier_wait(&board->meeting);
}

void Replica::keep_error(std::string_view error) const {
  auto& kept = board->rows[static_cast<size_t>(share.rank)].error;
  const size_t bytes = std::min(error.size(), kept.size() - 1);
  std::copy_n(error.begin(), bytes, kept.begin());
  kept[bytes] = '\0';
}

Replica this_replica() {
  Replica replica;
  replica.memory = number_in_environment("LAPCAST_REPLICA_MEMORY");
  if (replica.memory < 0) return {};
  void* board =
      mmap(nullptr, sizeof(ReplicaBoard), PROT_READ | PROT_WRITE, MAP_SHARED, replica.memory, 0);
  if (board == MAP_FAILED) {
    throw std::runtime_error("the memory of LAPCAST_REPLICA_MEMORY cannot be mapped: " +
                             std::string(std::strerror(errno)));
  }
  replica.board = static_cast<ReplicaBoard*>(board);
  replica.share = {number_in_environment("RANK"), number_in_environment("WORLD_SIZE")};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have ended before the line above.
  if (getppid() != replica.board->parent) std::_Exit(1);
  return replica;
}

}  // namespace lapcast::workloads
