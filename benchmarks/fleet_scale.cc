// Measures the scheduler on a fleet of 2,000 machines and 20,000 probes: the real campaign with a
// real store over an executor that only counts time. Goal: at most 10 s of CPU time and 200 MB.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "figure.h"
#include "probe/ids_and_time.h"

namespace {

using namespace lapcast;

constexpr std::size_t kMachines = 2000;
constexpr std::size_t kSettings = 10;
constexpr int kProgressPerProbe = 5;

/// Returns one of 1,200 ssh hosts, 200 of them in racks of 10 that are measured one at a time; of
/// 100 more hosts with three machine types each, a whole machine and its two halves; or of 500
/// Slurm entries.
ProbeRequest on_machine(std::size_t i) {
  ProbeRequest request;
  MachineType& type = request.context.machine_type;
  type.name = fmt::format("machine-{:04}", i);
  if (i < 1500) {
    const std::size_t host = i < 1200 ? i : 1200 + (i - 1200) / 3;
    request.place_setup.place = SshPlace{fmt::format("host-{:04}", host)};
    if (i < 200) request.place_setup.group = fmt::format("rack-{}", i / 10);
    if (i >= 1200 && i % 3 > 0) type.cpus = {static_cast<int>(i % 3) - 1};
  } else {
    request.place_setup.place = SlurmPlace{.partition = fmt::format("partition-{}", i)};
  }
  return request;
}

std::vector<ProbeRequest> all_probes() {
  std::vector<ProbeRequest> requests;
  for (std::size_t i = 0; i < kMachines; ++i)
    for (std::size_t s = 0; s < kSettings; ++s) {
      ProbeRequest request = on_machine(i);
      RunContext& context = request.context;
      context.id = fmt::format("{:012x}", requests.size());
      context.sweep = "77e1";
      context.program = {"python", "train.py", "--batch", "{batch}", "--out", "{run_dir}"};
      context.settings = {{"batch", std::to_string(16 << s)}};
      context.working_dir = "/home/somebody/project";
      context.place = describe(request.place_setup.place);
      requests.push_back(std::move(request));
    }
  std::shuffle(requests.begin(), requests.end(), std::mt19937(7));
  return requests;
}

/// Returns the lap log of a probe of 100 laps.
std::string lap_log() {
  std::string text = "lapcast-log 1\n";
  for (int lap = 1; lap <= 100; ++lap) text += fmt::format("{} i 128\n", lap * 50'123'457LL);
  return text;
}

/// Simulates machines that take 10 to 100 s a probe, with its own clock.
class SimulatedFleet : public Executor {
 public:
  Ticket start(const ProbeRequest& request) override {
    const double seconds = 10 + static_cast<double>(random_() % 90);
    for (int i = 1; i <= kProgressPerProbe + 1; ++i)
      events_.push({now_ + seconds * i / (kProgressPerProbe + 1), next_, i > kProgressPerProbe});
    contexts_[next_] = request.context;
    most_at_once = std::max(most_at_once, contexts_.size());
    return next_++;
  }
  std::vector<Event> wait(std::chrono::milliseconds) override {
    if (events_.empty()) return {};
    const Moment moment = events_.top();
    events_.pop();
    now_ = moment.at;
    if (!moment.end) return {{moment.ticket, ProbeProgress{.laps = 7, .state = "lap 7: 3.1 %"}}};
    Run run;
    run.context = std::move(contexts_[moment.ticket]);
    contexts_.erase(moment.ticket);
    run.started_ns = 1'000'000'000;
    run.ended_ns = 31'000'000'000;
    run.outcome = outcome::Enough{"steady lap known to 1.4 %"};
    run.lap_logs = {log_};
    return {{moment.ticket, std::move(run)}};
  }
  void order(Ticket, const std::string&) override {}
  void stop_all() override {}

  std::size_t most_at_once = 0;

 private:
  struct Moment {
    double at;
    Ticket ticket;
    bool end;
    bool operator<(const Moment& other) const { return at > other.at; }
  };
  std::priority_queue<Moment> events_;
  std::map<Ticket, RunContext> contexts_;
  Ticket next_ = 1;
  double now_ = 0;
  std::mt19937 random_{7};
  std::string log_ = lap_log();
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main() {
  std::string folder = std::filesystem::temp_directory_path() / "lapcast-scale-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 1;
  std::size_t told = 0;
  CampaignResult result;
  SimulatedFleet fleet;
  const double before = cpu_seconds();
  {
    Store store = Store::open(folder + "/store.db");
    Interrupt interrupt;
    result = run_campaign(
        all_probes(), {fleet, store, interrupt, {[&](const CampaignProgress&) { ++told; }, {}}});
  }
  const double seconds = cpu_seconds() - before;
  std::filesystem::remove_all(folder);
  std::printf(
      "%zu machines, %zu probes, at most %zu at once; %zu progress reports; peak memory %.0f MB\n",
      kMachines, result.finished, fleet.most_at_once, told, lapcast::peak_memory_mb());
  print_figure("fleet-scale", seconds, "s of CPU time");
  return result.finished == kMachines * kSettings ? 0 : 1;
}
