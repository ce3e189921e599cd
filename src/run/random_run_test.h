#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Makes runs with random members: extreme numbers, texts of any bytes. why_not_kept() accepts each
/// of them. The same seed gives the same runs.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed) : random_(seed) {}

  /// Returns 0 to 3 results of item().
  template <class Item>
  auto list(Item item) {
    std::vector<decltype(item())> items(below(4));
    std::generate(items.begin(), items.end(), item);
    return items;
  }

  Run operator()() {
    Run run;
    run.context = context();
    run.outcome = outcome();
    run.started_ns = clock();
    run.ended_ns = clock();
    if (coin()) run.stop_sent_ns = whole();
    run.usage = {Seconds{real()}, Seconds{real()}, whole(), whole()};
    run.lap_logs = list([this] { return text(3000); });
    run.standard_output = text(500);
    run.standard_error = text(500);
    run.warnings = list([this] { return text(50); });
    run.forecasts = list([this] {
      return ForecastMoment{Seconds{real()}, {Seconds{real()}, Seconds{real()}, Seconds{real()}}};
    });
    run.preparation = list([this] { return PreparationStep{text(20), Seconds{real()}, whole()}; });
    run.pauses = list([this] { return Pause{clock(), clock(), coin()}; });
    return run;
  }

  /// Returns a number from 0 to n - 1.
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool coin() { return below(2) == 0; }

  std::string id() {
    std::string digits;
    for (int i = 0; i < 12; ++i) digits += "0123456789abcdef"[below(16)];
    return digits;
  }

  /// Returns up to `longest` pieces: any bytes, printable ASCII, or characters that are hard to
  /// escape, of several bytes each.
  std::string text(std::size_t longest) {
    static const std::vector<std::string> kPieces{
        "a",        "\"",   "\\",   "{batch}",        "\n", "é", "漢", "😀", "=",
        "\x1b[31m", "\xff", "\xc3", std::string(1, 0)};
    const std::uint64_t style = below(3);
    std::string result;
    for (std::uint64_t left = below(longest + 1); left > 0; --left) {
      if (style == 0) result += static_cast<char>(below(256));
      if (style == 1) result += static_cast<char>(' ' + below(95));
      if (style == 2) result += kPieces[below(kPieces.size())];
    }
    return result;
  }

  /// Returns any integer; every second time 0, 1, -1 or an end of the range.
  std::int64_t whole() {
    constexpr std::int64_t kEdges[] = {0, 1, -1, std::numeric_limits<std::int64_t>::max(),
                                       std::numeric_limits<std::int64_t>::min()};
    return coin() ? kEdges[below(5)] : static_cast<std::int64_t>(random_());
  }

  /// Returns any finite double, every second time one between 0 and 1024.
  double real() {
    double value = 0;
    do {
      const std::uint64_t bits = random_();
      std::memcpy(&value, &bits, sizeof value);
    } while (!std::isfinite(value));
    return coin() ? value : std::ldexp(static_cast<double>(below(1 << 20)), -10);
  }

 private:
  std::int64_t clock() {
    return static_cast<std::int64_t>(below(8'000'000'000'000'000'000)) - 4'000'000'000'000'000'000;
  }
  int small() { return static_cast<int>(random_()); }

  std::map<std::string, std::string> map() {
    std::map<std::string, std::string> result;
    for (std::uint64_t left = below(4); left > 0; --left) result[text(10)] = text(20);
    return result;
  }

  RunContext context() {
    RunContext context;
    context.id = id();
    context.sweep = text(12);
    context.kind = static_cast<RunKind>(below(3));
    context.program = list([this] { return text(40); });
    context.settings = map();
    context.working_dir = text(100);
    context.machine_type = {text(20), list([this] { return small(); }), {}, map()};
    if (coin()) context.machine_type.cpu_quota = real();
    context.machine_type.exclusive = coin();
    context.place = text(30);
    if (coin()) context.price = offer();
    context.offer = text(10);
    context.plan = {.epochs = whole(),
                    .steps = whole(),
                    .training_samples = whole(),
                    .validation_samples = whole(),
                    .validate_every = whole(),
                    .validate_from = whole()};
    context.patience = count();
    context.metric = text(10);
    context.start = static_cast<StartKind>(below(3));
    if (coin()) context.start_id = text(16);
    context.warm_up = below(2) == 1;
    context.started_at = text(20);
    context.lapcast_version = text(8);
    context.machine = machine();
    context.imported_from = text(30);
    context.imported = coin();
    return context;
  }

  Money money() { return Money::from_nanos(whole()); }
  std::int64_t count() { return static_cast<std::int64_t>(random_() >> 1); }

  Offer offer() {
    Offer offer;
    for (std::string* field : {&offer.name, &offer.provider, &offer.service, &offer.machine_type,
                               &offer.region, &offer.accelerator, &offer.as_of, &offer.source}) {
      *field = text(20);
    }
    offer.accelerator_count = small();
    offer.price = {Money::from_nanos(count())};
    if (coin()) offer.terms = Owned{money(), real(), real(), real(), money(), money()};
    if (coin()) offer.terms = Reserved{small(), money(), money(), real()};
    if (coin()) offer.terms = Spot{real(), {}};
    if (coin()) offer.vcpus = real();
    if (coin()) offer.memory_bytes = count();
    if (coin()) offer.accelerator_memory_bytes = count();
    offer.billing = {count(), count()};
    offer.other = {.licence = {money()},
                   .storage_per_gb_month = money(),
                   .snapshots_per_gb_month = money(),
                   .egress_per_gb = money(),
                   .tax = real()};
    offer.boot_ns = count();
    return offer;
  }

  MachineDescription machine() {
    MachineDescription machine;
    for (std::string* field :
         {&machine.host, &machine.os, &machine.cpu_model, &machine.architecture, &machine.isa,
          &machine.hypervisor, &machine.boot_id}) {
      *field = text(30);
    }
    for (int* field :
         {&machine.sockets, &machine.cores, &machine.threads, &machine.cgroup_version}) {
      *field = small();
    }
    for (std::int64_t* field :
         {&machine.l3_cache_bytes, &machine.memory_bytes, &machine.available_memory_bytes}) {
      *field = whole();
    }
    machine.allowed_cpus = list([this] { return small(); });
    machine.max_clock_ghz = real();
    machine.quota_settable = coin();
    if (coin()) machine.cpu_limit = real();
    if (coin()) machine.memory_limit_bytes = whole();
    machine.accelerators = list([this] {
      Accelerator gpu{text(9), text(9), text(9), whole(), text(9), text(9), whole(), text(9)};
      if (coin()) gpu.set_up = {whole(), whole(), text(3), text(3), text(9), text(9)};
      return gpu;
    });
    if (below(2) == 1) machine.allocators = list([this] { return text(30); });
    machine.missing = list([this] { return text(30); });
    return machine;
  }

  Outcome outcome() {
    switch (below(8)) {
      case 0:
        return outcome::Enough{text(30)};
      case 1:
        return outcome::BudgetSpent{text(30)};
      case 2:
        return outcome::Ended{};
      case 3:
        return outcome::Crashed{small(), small()};
      case 4:
        return outcome::NoLaps{text(30)};
      case 5:
        return outcome::NotStarted{text(30)};
      case 6:
        return outcome::NotEnded{text(30)};
      default:
        return outcome::Interrupted{};
    }
  }

  std::mt19937_64 random_;
};

}  // namespace lapcast
