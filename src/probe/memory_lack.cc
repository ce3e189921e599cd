#include "probe/memory_lack.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "machine/proc_text.h"
#include "probe/run_warnings.h"
#include "run/race_outcomes.h"

namespace lapcast {
namespace {

constexpr std::size_t kLastLines = 24;  // of a program that failed: what it said before is past
constexpr MonotonicNs kReadEvery = 500'000'000;
constexpr MonotonicNs kWarnEvery = 30'000'000'000;
constexpr int kKilledInShell = 128 + SIGKILL;
constexpr std::array<std::string_view, 11> kMainMemoryErrors{
    "MemoryError",
    "std::bad_alloc",
    "Cannot allocate memory",
    "can't allocate memory",
    "DefaultCPUAllocator: not enough memory",
    "OOM when allocating tensor",
    "java.lang.OutOfMemoryError",
    "memory allocation of",  // Rust
    "oom_kill event",        // slurmstepd
    "oom-kill event",
    "Out of memory: Killed process"};

}  // namespace

std::string main_memory_error_in(std::string_view standard_error) {
  std::vector<std::string_view> lines = split(standard_error, '\n');
  const std::size_t begin = lines.size() - std::min(lines.size(), kLastLines);
  std::string_view last;
  for (const std::string_view line : std::span(lines).subspan(begin))
    if (std::ranges::any_of(kMainMemoryErrors,
                            [&](auto error) { return line.find(error) != line.npos; }))
      last = line;
  return printable(last, 400);
}

void MemoryLack::bound(SpawnSpec& spec) {
  kills_before_ = kills_by_kernel();
  if (!request_.limits.memory_share) return;
  bound_ = MemoryBound::of_available(*request_.limits.memory_share);
  // A program that uses a GPU reserves far more than it takes: only a cgroup can bound it.
  if (!bound_.has_cgroup() && !request_.context.machine.accelerators.empty()) bound_ = {};
  bound_.add_to(spec);
}

std::optional<Outcome> MemoryLack::at_bound() const {
  if (!bound_.is_reached()) return std::nullopt;
  return of_main_memory({.signal = SIGKILL},
                        fmt::format("lapcast ended it when it wanted more than {}, 95 % of what "
                                    "was free",
                                    format_bytes(bound_.bytes())));
}

outcome::Crashed MemoryLack::of_main_memory(outcome::Crashed crash, std::string message) const {
  std::int64_t peak = 0;
  if (load_)
    for (const LoadSample& load : load_->samples())
      peak = std::max(peak, load.memory_bytes.value_or(0));
  crash.out_of_main_memory =
      outcome::OutOfMemory{std::move(message), batch_of(request_.context, laps_.log()), peak};
  return crash;
}

void MemoryLack::read(MonotonicNs now) {
  watch_.look(output_.text(Stream::error), laps_.log().laps.size(), now);
}

Outcome MemoryLack::made() const {
  return out_of_gpu_memory(*watch_.message(), request_.context, laps_.log(),
                           load_ ? std::span(load_->gpus()) : std::span<const GpuSample>());
}

std::optional<Outcome> MemoryLack::look(MonotonicNs now, bool is_running) {
  if (auto reached = at_bound()) return reached;
  if (!is_running || now < next_read_) return std::nullopt;
  next_read_ = now + kReadEvery;
  read(now);
  if (!watch_.message() || request_.watch) return std::nullopt;
  const ProbeLimits& limits = request_.limits;
  const Seconds patience =
      laps_.hook().raised ? limits.grace : std::max(limits.grace, limits.budget);
  if (watch_.silent_for(now) < patience) return std::nullopt;
  return made();
}

std::vector<std::string> MemoryLack::take_warnings(MonotonicNs now, const Run& run) {
  if (!request_.watch || !load_ || now < next_warning_) return {};
  next_warning_ = now + kWarnEvery;
  std::vector<std::string> warnings = memory_warnings(memory_of_samples(*load_, laps_.log(), run));
  if (warnings.size() <= warned_) return {};
  warned_ = warnings.size();
  return warnings;
}

void MemoryLack::explain(Outcome& outcome, MonotonicNs ended_ns) {
  read(ended_ns);
  const bool may_follow =
      std::holds_alternative<outcome::Crashed>(outcome) ||
      std::holds_alternative<outcome::NoLaps>(outcome) ||
      (std::holds_alternative<outcome::BudgetSpent>(outcome) && !was_stopped_by_race(outcome));
  if (watch_.message() && may_follow) {
    outcome = made();
    return;
  }
  const auto* crash = std::get_if<outcome::Crashed>(&outcome);
  if (crash == nullptr || is_out_of_memory(outcome)) return;
  std::string message = main_memory_error_in(output_.text(Stream::error));
  const bool was_killed = crash->signal == SIGKILL || crash->exit_status == kKilledInShell ||
                          output_.text(Stream::error).find("Killed") != std::string::npos;
  if (message.empty() && was_killed && kills_by_kernel() > kills_before_)
    message = "the kernel killed it for lack of memory";
  if (!message.empty()) outcome = of_main_memory(*crash, std::move(message));
}

}  // namespace lapcast
