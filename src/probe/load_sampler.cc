#include "probe/load_sampler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "discover/system_cgroup.h"
#include "lap/lap_log_writer.h"
#include "machine/proc_text.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

constexpr MonotonicNs kShortest = 250'000'000;
constexpr MonotonicNs kGpusEvery = 150'000'000;  // takes each line of the helper (every 200 ms)
constexpr MonotonicNs kShareOfElapsed = 2000;    // a pause takes at least 1/2000 of the time so far
constexpr MonotonicNs kTimesTheCost = 2000;
constexpr std::ptrdiff_t kSamplesKept = 512;
constexpr std::size_t kLooksPerSearch = 4;  // new processes, and what changes slowly

MonotonicNs own_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

std::int64_t ns_of_ticks(std::int64_t ticks) {
  static const std::int64_t per_second = std::max<std::int64_t>(1, sysconf(_SC_CLK_TCK));
  return ticks * (1'000'000'000 / per_second);
}

/// Returns CUDA_VISIBLE_DEVICES of the programs of a machine type; empty if it is not set, nothing
/// if it hides all GPUs.
std::optional<std::string> visible_gpus(const MachineType& type) {
  constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
  const auto own = type.environment.find(kName);
  const char* const inherited = std::getenv(kName);
  if (own == type.environment.end() && inherited == nullptr) return "";
  const std::string visible = own != type.environment.end() ? own->second : inherited;
  if (visible.empty() || visible.starts_with('-')) return std::nullopt;
  return visible;
}

LoadSample::Field grown(const LoadSample::Field& now, const LoadSample::Field& before) {
  if (!now || !before) return std::nullopt;
  return std::max<std::int64_t>(0, *now - *before);
}

LoadSample::Field times(const std::optional<std::int64_t>& value, std::int64_t factor) {
  if (!value || *value < 0 || *value > INT64_MAX / factor) return std::nullopt;
  return *value * factor;
}

/// Drops the oldest samples once there are more than twice as many as are kept.
template <class Sample>
void keep_newest(std::vector<Sample>& samples, std::ptrdiff_t kept) {
  if (std::ssize(samples) > 2 * kept) samples.erase(samples.begin(), samples.end() - kept);
}

}  // namespace

LoadSampler::LoadSampler(SampledProgram program, Hello hello, std::filesystem::path file,
                         std::string root)
    : program_(std::move(program)),
      root_(std::move(root)),
      hello_(std::move(hello)),
      rapl_(root_),
      folder_(file.parent_path()),
      file_(std::move(file)) {
  hello_.emitter = "lapcast-load/1";
  if (program_.gpus) gpu_ = GpuSampler::start(*program_.gpus);
  restart(hello_.clock_ns);
}

void LoadSampler::restart(MonotonicNs now) {
  before_ = read_counters();
  LoadSample ignored;
  read_threads(ignored);
  rapl_.milliwatts(now);
  if (gpu_) gpu_->forget();
  last_ns_ = now;
  due_ns_ = now + kShortest;
}

void LoadSampler::look(MonotonicNs now) {
  if (now >= due_ns_)
    take(now, looks_++ % kLooksPerSearch == 0);
  else if (gpu_ && !samples_.empty() && now - last_gpus_ns_ >= kGpusEvery)
    look_at_gpus(now);
}

/// Takes the helper's new output, which costs next to nothing: GPUs are sampled five times a second
/// even where a whole sample would take too long.
void LoadSampler::look_at_gpus(MonotonicNs now) {
  LoadSample ignored{.at_ns = now - hello_.clock_ns};
  take_gpus(ignored);
  write(lines_of_gpus(ignored.at_ns));
}

void LoadSampler::take(MonotonicNs now, bool with_processes) {
  if (now <= last_ns_) return;
  const MonotonicNs cost_before = own_cpu_ns();
  if (with_processes) find_processes();
  count(now);
  const MonotonicNs cost = own_cpu_ns() - cost_before;
  const MonotonicNs elapsed = now - hello_.clock_ns;
  due_ns_ = now + std::max({kShortest, elapsed / kShareOfElapsed, cost * kTimesTheCost});
}

void LoadSampler::count(MonotonicNs now) {
  LoadSample load{.at_ns = now - hello_.clock_ns, .span_ns = now - last_ns_};
  if (!program_.cpus.empty()) load.cpus = static_cast<std::int64_t>(program_.cpus.size());
  const Counters counters = read_counters();
  find_threads();
  read_threads(load);
  if (const Field busy = grown(counters.busy_ns, before_.busy_ns); busy && load.run_ns)
    load.others_ns = std::max<std::int64_t>(0, *busy - *load.run_ns);
  load.steal_ns = grown(counters.steal_ns, before_.steal_ns);
  load.throttled_ns = grown(counters.throttled_ns, before_.throttled_ns);
  load.cpu_stall_ns = grown(counters.cpu_stall_ns, before_.cpu_stall_ns);
  load.memory_stall_ns = grown(counters.memory_stall_ns, before_.memory_stall_ns);
  load.io_stall_ns = grown(counters.io_stall_ns, before_.io_stall_ns);
  load.swapped_bytes = grown(counters.swapped_bytes, before_.swapped_bytes);
  load.mhz = mean_mhz();
  load.memory_bytes = resident_bytes();
  load.cpu_mw = rapl_.milliwatts(now);
  if (gpu_) take_gpus(load);
  if (left_out_ > 0) load.threads_left_out = static_cast<std::int64_t>(left_out_);
  if (workers_ > 0) load.workers = workers_;
  before_ = counters;
  last_ns_ = now;
  write(load_line(load) + lines_of_gpus(load.at_ns));
  samples_.push_back(load);
  keep_newest(samples_, kSamplesKept);
}

/// Adds the newest sample of the GPUs if there is a new one.
void LoadSampler::take_gpus(LoadSample& load) {
  last_gpus_ns_ = hello_.clock_ns + load.at_ns;
  const auto is_own = [&](pid_t process) {
    return std::ranges::find(processes_, process) != processes_.end();
  };
  auto newest = gpu_->add_to(load, {is_own, [&](pid_t process) { return is_other(process); }});
  if (newest.empty()) return;
  for (GpuSample& gpu : newest) gpu.at_ns = load.at_ns;
  gpus_.insert(gpus_.end(), newest.begin(), newest.end());
  keep_newest(gpus_, kSamplesKept * std::ssize(newest));
  for (GpuSample& gpu : newest)
    for (const GpuSample& before : unwritten_gpus_)
      if (before.number == gpu.number) {
        gpu.memory_bytes = std::max(gpu.memory_bytes, before.memory_bytes);
        gpu.program_bytes = std::max(gpu.program_bytes, before.program_bytes);
      }
  newest_gpus_ = unwritten_gpus_ = std::move(newest);
}

/// Returns the lines of the GPUs if they are due. They become rarer with time, and sooner with more
/// GPUs, so that a day of 8 GPUs takes 1 MB.
std::string LoadSampler::lines_of_gpus(std::int64_t at_ns) {
  std::string lines;
  if (unwritten_gpus_.empty() || at_ns < gpus_due_ns_) return lines;
  for (GpuSample& gpu : unwritten_gpus_) {
    gpu.at_ns = at_ns;
    lines += gpu_line(gpu);
  }
  gpus_due_ns_ = at_ns + at_ns * std::ssize(unwritten_gpus_) / kShareOfElapsed;
  unwritten_gpus_.clear();
  return lines;
}

/// Writes whole lines; a line that a full disk cuts off is damage, which readers skip.
void LoadSampler::write(const std::string& lines) {
  const bool is_first = !file_.empty();
  if (is_first) {
    log_ = FileDescriptor(
        open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR));
    file_.clear();
  }
  if (log_.is_open()) write_all(log_.get(), (is_first ? lap_log_opening(hello_) : "") + lines);
}

LoadSampler::Counters LoadSampler::read_counters() const {
  Counters counters;
  const std::string stat = text_of_file(root_ + "/proc/stat");
  if (const auto ticks = parse_cpu_ticks(stat, program_.cpus)) {
    counters.busy_ns = ns_of_ticks(ticks->busy);
    counters.steal_ns = ns_of_ticks(ticks->steal);
  }
  const auto stalled = [&](const char* what) {
    return times(parse_pressure(read_system_line(root_ + "/proc/pressure/" + what)), 1000);
  };
  counters.cpu_stall_ns = stalled("cpu");
  counters.memory_stall_ns = stalled("memory");
  counters.io_stall_ns = stalled("io");
  for (const std::string& directory : program_.cgroups) {
    const auto throttled = parse_throttled_ns(text_of_file(directory + "/cpu.stat"));
    if (throttled) counters.throttled_ns = std::max(counters.throttled_ns.value_or(0), *throttled);
  }
  const std::string memory = text_of_file(root_ + "/proc/vmstat");
  const auto pages = [&](const char* key) {
    const auto text = find_field(memory, key, ' ');
    return text ? parse_integer(*text) : std::nullopt;
  };
  if (const auto in = pages("pswpin"), out = pages("pswpout"); in && out)
    counters.swapped_bytes = times(*in + *out, sysconf(_SC_PAGESIZE));
  return counters;
}

void LoadSampler::find_processes() {
  const std::vector<pid_t> before = std::exchange(processes_, program_.processes());
  if (gpu_) std::erase(processes_, gpu_->helper());
  if (processes_ != before) count_workers();
}

/// Counts the worker processes; one that reports laps is not a worker but a rank of the training.
void LoadSampler::count_workers() {
  workers_ = std::ranges::count_if(workers_among(processes_), [&](pid_t process) {
    std::error_code ignored;
    return !std::filesystem::exists(folder_ / fmt::format("laps.{}.log", process), ignored);
  });
}

/// Returns whether a process that the driver names is somebody else's and may compute: it belongs
/// neither to the program nor to another program of the same lapcast, and it is not stopped. In a
/// container the driver may give numbers of the host; one counts if a process has this number here.
bool LoadSampler::is_other(pid_t process) const {
  if (std::ranges::find(processes_, process) != processes_.end()) return false;
  if (kill(process, 0) != 0 && errno != EPERM) return false;
  return !is_stopped(process) && !is_of_same_lapcast(process);
}

void LoadSampler::find_threads() {
  left_out_ = 0;
  for (const pid_t process : processes_) add_threads_of(process);
}

void LoadSampler::add_threads_of(pid_t process) {
  const std::string folder = fmt::format("{}/proc/{}/task", root_, process);
  for (const std::string& name : list_system_directory(folder)) {
    const auto id = parse_integer(name);
    if (!id || threads_.contains(static_cast<pid_t>(*id))) continue;
    if (threads_.size() >= kMostThreads) {
      ++left_out_;
      continue;
    }
    FileDescriptor file(
        open(fmt::format("{}/{}/schedstat", folder, name).c_str(), O_RDONLY | O_CLOEXEC));
    if (file.is_open()) threads_[static_cast<pid_t>(*id)].schedstat = std::move(file);
  }
}

/// Adds up how long the threads have run, and finds the longest wait of one of them. Forgets
/// threads that have ended.
void LoadSampler::read_threads(LoadSample& sample) {
  for (auto each = threads_.begin(); each != threads_.end();) {
    Thread& thread = each->second;
    char bytes[96];
    const ssize_t got = pread(thread.schedstat.get(), bytes, sizeof bytes, 0);
    const auto known =
        parse_schedstat({bytes, static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
    if (!known) {
      each = threads_.erase(each);
      continue;
    }
    sample.run_ns =
        sample.run_ns.value_or(0) + std::max<std::int64_t>(0, known->run_ns - thread.run_ns);
    sample.delay_ns = std::max(sample.delay_ns.value_or(0), known->delay_ns - thread.delay_ns);
    thread.run_ns = known->run_ns;
    thread.delay_ns = known->delay_ns;
    ++each;
  }
}

LoadSample::Field LoadSampler::mean_mhz() const {
  std::int64_t sum = 0;
  std::int64_t count = 0;
  for (const int cpu : program_.cpus) {
    const auto khz = parse_integer(read_system_line(
        fmt::format("{}/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", root_, cpu)));
    if (!khz || *khz <= 0) return std::nullopt;
    sum += *khz / 1000;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

/// Sums what the processes hold for themselves, and adds the most that one of them shares (proc(5),
/// statm): workers share most of what their parent has.
LoadSample::Field LoadSampler::resident_bytes() const {
  std::int64_t own = 0;
  std::int64_t shared = 0;
  for (const pid_t process : processes_) {
    const std::string line = read_system_line(fmt::format("{}/proc/{}/statm", root_, process));
    const auto words = split(line, ' ');
    if (words.size() < 3) continue;
    const std::int64_t of_it = parse_integer(words[2]).value_or(0);
    own += std::max<std::int64_t>(0, parse_integer(words[1]).value_or(0) - of_it);
    shared = std::max(shared, of_it);
  }
  if (own + shared == 0) return std::nullopt;
  return times(own + shared, sysconf(_SC_PAGESIZE));
}

std::optional<LoadSampler> load_sampler_of(const Run& run, const std::string& quota_directory,
                                           const std::filesystem::path& lap_folder) {
  const char* asked = std::getenv("LAPCAST_LOAD_SAMPLES");
  if (asked != nullptr && std::string_view(asked) == "off") return std::nullopt;
  const RunContext& context = run.context;
  const auto& cpus = context.machine_type.cpus;
  SampledProgram program{.cpus = cpus.empty() ? context.machine.allowed_cpus : cpus};
  if (!quota_directory.empty()) program.cgroups.push_back(quota_directory);
  if (const auto own = find_cgroup("cpu", ""))
    std::ranges::move(directories_upwards(*own, ""), std::back_inserter(program.cgroups));
  if (const auto& gpus = context.machine.accelerators;
      std::ranges::any_of(gpus, [](const Accelerator& gpu) { return gpu.vendor == "nvidia"; }))
    program.gpus = visible_gpus(context.machine_type);
  Hello hello{.clock_ns = run.started_ns, .pid = getpid()};
  hello.wall_seconds = from_ns(clock_ns(CLOCK_REALTIME)).count();
  hello.host = context.machine.host;
  return std::optional<LoadSampler>(std::in_place, std::move(program), std::move(hello),
                                    lap_folder / fmt::format("laps.{}.log", getpid()));
}

}  // namespace lapcast
