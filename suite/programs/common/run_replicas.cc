#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "common/replica.h"

namespace lapcast::workloads {
namespace {

[[noreturn]] void fail_with_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// Makes the memory file with an empty board. Programs that are started inherit it.
std::pair<int, ReplicaBoard*> make_board(int64_t replicas) {
  const int memory = memfd_create("lapcast-replicas", 0);
  if (memory < 0 || ftruncate(memory, Replica::kTensorsAt) != 0) fail_with_errno("shared memory");
  void* at = mmap(nullptr, sizeof(ReplicaBoard), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (at == MAP_FAILED) fail_with_errno("shared memory");
  auto* board = static_cast<ReplicaBoard*>(at);  // all zeros
  board->parent = getpid();
  pthread_barrierattr_t meeting;
  pthread_barrierattr_init(&meeting);
  pthread_barrierattr_setpshared(&meeting, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&board->meeting, &meeting, static_cast<unsigned>(replicas));
  pthread_mutexattr_t turn;
  pthread_mutexattr_init(&turn);
  pthread_mutexattr_setpshared(&turn, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&board->turn, &turn);
  return {memory, board};
}

/// Returns the CPUs of a replica among those of this process; none when there are too many CPUs for
/// a cpu_set_t.
std::optional<cpu_set_t> cpus_of(const Share& share, const cpu_set_t& all) {
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &all)) cpus.push_back(cpu);
  }
  if (cpus.empty()) return std::nullopt;
  const auto count = static_cast<int64_t>(cpus.size());
  const bool too_few = count < share.replicas;
  const int64_t first = too_few ? share.rank % count : share.first_of(count);
  const int64_t own = too_few ? 1 : share.of(count);
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int64_t i = first; i < first + own; ++i) CPU_SET(cpus[static_cast<size_t>(i)], &set);
  return set;
}

/// Returns this process's environment with the variables that tell a replica who it is, for lap.h,
/// too.
std::vector<std::string> environment_of(const Share& share, int memory) {
  std::vector<std::string> variables{"RANK=" + std::to_string(share.rank),
                                     "WORLD_SIZE=" + std::to_string(share.replicas),
                                     "LAPCAST_REPLICA_MEMORY=" + std::to_string(memory)};
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view variable = *entry;
    if (!variable.starts_with("RANK=") && !variable.starts_with("WORLD_SIZE=")) {
      variables.emplace_back(variable);
    }
  }
  return variables;
}

/// Starts and ends the replicas. While it exists, signals that would end this process wait.
class Team {
 public:
  Team(std::string program, int64_t count) : program_(std::move(program)), count_(count) {
    std::signal(SIGCHLD, SIG_DFL);
    sigemptyset(&awaited_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&awaited_, signal);
    sigprocmask(SIG_BLOCK, &awaited_, &mask_before_);
    std::tie(memory_, board_) = make_board(count);
  }

  ~Team() {
    end_all();
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }

  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  void start(char** argv) {
    cpu_set_t all;
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof all, &all);
    for (int64_t rank = 0; rank < count_; ++rank) {
      const Share share{rank, count_};
      // A program that is started keeps the CPUs of the one that starts it.
      const std::optional<cpu_set_t> own = cpus_of(share, all);
      if (own) sched_setaffinity(0, sizeof *own, &*own);
      const pid_t pid = start_one(share, argv);
      if (own) sched_setaffinity(0, sizeof all, &all);
      pids_.push_back(pid);
    }
  }

  /// Waits until all have ended. Returns the exit status as run_replicas() does.
  int wait() {
    int signal = 0;
    while (left() > 0) {
      signal = sigwaitinfo(&awaited_, nullptr);
      if (signal < 0) continue;  // interrupted
      if (signal != SIGCHLD) return end_by(signal);
      int status = 0;
      for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        const int64_t rank = forget(pid);
        if (rank < 0 || status == 0) continue;
        return end_after(rank, status);
      }
    }
    return 0;
  }

 private:
  pid_t start_one(const Share& share, char** argv) {
    std::vector<std::string> variables = environment_of(share, memory_);
    std::vector<char*> environment;
    for (std::string& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &mask_before_);
    const std::string file = std::filesystem::read_symlink("/proc/self/exe").string();
    pid_t pid = -1;
    errno = posix_spawn(&pid, file.c_str(), nullptr, &attributes, argv, environment.data());
    posix_spawnattr_destroy(&attributes);
    if (errno != 0) fail_with_errno("replica " + std::to_string(share.rank));
    return pid;
  }

  int64_t left() const {
    int64_t count = 0;
    for (const pid_t pid : pids_) count += pid > 0;
    return count;
  }

  /// Returns the rank of a process that has ended, or -1 when it is none of the replicas.
  int64_t forget(pid_t pid) {
    for (size_t rank = 0; rank < pids_.size(); ++rank) {
      if (pids_[rank] != pid) continue;
      pids_[rank] = 0;
      return static_cast<int64_t>(rank);
    }
    return -1;
  }

  void end_all() {
    for (const pid_t pid : pids_) {
      if (pid > 0) kill(pid, SIGKILL);
    }
    for (pid_t& pid : pids_) {
      while (pid > 0 && waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
      pid = 0;
    }
  }

  /// Ends all and then this process by the signal that it got.
  int end_by(int signal) {
    end_all();
    std::signal(signal, SIG_DFL);
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
    raise(signal);
    return 1;
  }

  /// Ends the others and says why. Ctrl-C ends all without a word.
  int end_after(int64_t rank, int status) {
    sigset_t pending;
    sigpending(&pending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      if (sigismember(&pending, signal)) return end_by(signal);
    }
    end_all();
    const char* error = board_->rows[static_cast<size_t>(rank)].error.data();
    std::string why = error;
    if (WIFSIGNALED(status)) {
      why = "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
            strsignal(WTERMSIG(status)) + ")";
    } else if (why.empty()) {
      why = "ended with status " + std::to_string(WEXITSTATUS(status));
    }
    std::fprintf(stderr, "%s: replica %lld of %lld: %s\n", program_.c_str(),
                 static_cast<long long>(rank), static_cast<long long>(count_), why.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }

  std::string program_;
  int64_t count_;
  sigset_t awaited_, mask_before_;
  int memory_ = -1;
  ReplicaBoard* board_ = nullptr;
  std::vector<pid_t> pids_;  // by rank; 0 when it has ended
};

}  // namespace

int run_replicas(const std::string& program, int64_t count, char** argv) {
  Team team(program, count);
  team.start(argv);
  return team.wait();
}

}  // namespace lapcast::workloads
