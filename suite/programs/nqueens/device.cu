// Runs the search on GPUs. One thread searches one tree after the other. Trees come from a common
// counter, so no thread waits for a slower one before the last trees of a lap. The waiting nodes of
// each thread are in shared memory. Each device has several laps in its queue: the CPU cuts the
// trees of one while the device searches the others, and the first trees of one fill the device
// while the last trees of the other end. Events tell when each lap's kernel began and ended; the
// counts stay on the device until the end.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "nqueens/device.h"

namespace lapcast::workloads::nqueens {
namespace {

constexpr int kThreads = 64;  // per block; small, so that blocks fill the shared memory

void check(cudaError_t status) {
  if (status != cudaSuccess) throw DeviceError(cudaGetErrorString(status));
}

/// Holds what all launches have found.
struct Totals {
  unsigned long long solutions, nodes;
};
static_assert(sizeof(unsigned long long) == sizeof(uint64_t));

/// `next` is the first job that no thread has taken.
template <bool kLookAhead>
__global__ void __launch_bounds__(kThreads)
    search_kernel(const InnerBoard* boards, const Job* jobs, uint32_t count, unsigned int* next,
                  Totals* totals) {
  extern __shared__ Node frames[];
  const auto take = [next] { return atomicAdd(next, 1u); };
  const Tally tally = search_jobs<kLookAhead>(boards, jobs, count, take, frames + threadIdx.x,
                                              static_cast<int>(blockDim.x));
  atomicAdd(&totals->solutions, static_cast<unsigned long long>(tally.solutions));
  atomicAdd(&totals->nodes, static_cast<unsigned long long>(tally.nodes));
}

using Kernel = void (*)(const InnerBoard*, const Job*, uint32_t, unsigned int*, Totals*);

/// Owns an array on the current device.
template <typename T>
class DeviceArray {
 public:
  /// Keeps its memory when that is large enough; otherwise the content is lost.
  void resize(size_t size) {
    if (size <= size_) return;
    cudaFree(data_);
    data_ = nullptr;
    size_ = 0;
    check(cudaMalloc(&data_, size * sizeof(T)));
    size_ = size;
  }
  DeviceArray() = default;
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

/// Owns an array of the host from which a device copies while the host goes on.
template <typename T>
class PinnedArray {
 public:
  /// Copies the elements. The device must have read the ones before.
  void assign(const std::vector<T>& from) {
    if (from.size() > size_) {
      cudaFreeHost(data_);
      data_ = nullptr;
      size_ = 0;
      check(cudaMallocHost(&data_, from.size() * sizeof(T)));
      size_ = from.size();
    }
    std::copy(from.begin(), from.end(), data_);
  }
  PinnedArray() = default;
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  ~PinnedArray() { cudaFreeHost(data_); }

  const T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

/// Owns an event with a time.
class TimedEvent {
 public:
  TimedEvent() { check(cudaEventCreate(&event_)); }
  TimedEvent(const TimedEvent&) = delete;
  TimedEvent& operator=(const TimedEvent&) = delete;
  ~TimedEvent() { cudaEventDestroy(event_); }

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream)); }
  void wait() const { check(cudaEventSynchronize(event_)); }
  bool has_happened() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status != cudaErrorNotReady) check(status);
    return status == cudaSuccess;
  }
  double ms_after(const TimedEvent& other) const {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, other.event_, event_));
    return ms;
  }
  void swap(TimedEvent& other) { std::swap(event_, other.event_); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Holds a device's share of one lap.
struct Share {
  Share() {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    next.resize(1);
  }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() { cudaStreamDestroy(stream); }

  cudaStream_t stream = nullptr;
  PinnedArray<Job> jobs;
  DeviceArray<Job> device_jobs;
  DeviceArray<unsigned int> next;
  TimedEvent begin, end;  // of the kernel
};

int64_t monotonic_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// Holds one GPU with all boards, ready for shares of laps.
class Device {
 public:
  Device(int index, const DeviceWork& work)
      : index_(index),
        kernel_(work.look_ahead ? search_kernel<true> : search_kernel<false>),
        shared_bytes_(static_cast<size_t>(work.frames) * kThreads * sizeof(Node)) {
    check(cudaSetDevice(index_));
    const void* function = reinterpret_cast<const void*>(kernel_);
    check(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared));
    int blocks_of_one = 0, multiprocessors = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_of_one, function, kThreads,
                                                        shared_bytes_));
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, index_));
    blocks_ = blocks_of_one * multiprocessors;
    boards_.resize(work.boards.size());
    check(cudaMemcpy(boards_.data(), work.boards.data(), work.boards.size() * sizeof(InnerBoard),
                     cudaMemcpyHostToDevice));
    totals_.resize(1);
    check(cudaMemset(totals_.data(), 0, sizeof(Totals)));
    for (auto& share : shares_) share = std::make_unique<Share>();
    tie_clocks();
  }

  /// Queues the search of the jobs of a lap.
  void start(int64_t lap, const std::vector<Job>& jobs) {
    check(cudaSetDevice(index_));
    Share& share = share_of(lap);
    if (!jobs.empty()) copy(share, jobs);
    share.begin.record(share.stream);
    if (!jobs.empty()) launch(share, static_cast<uint32_t>(jobs.size()));
    share.end.record(share.stream);
  }

  bool has_ended(int64_t lap) {
    check(cudaSetDevice(index_));
    return share_of(lap).end.has_happened();
  }

  /// Waits for a lap. Returns its end by the host's clock. Must be called in the order of the laps.
  int64_t wait(int64_t lap) {
    check(cudaSetDevice(index_));
    Share& share = share_of(lap);
    share.end.wait();
    const int64_t end = times_->add(share.begin.ms_after(*last_), share.end.ms_after(*last_));
    last_->swap(share.end);  // The share is used again before the next lap is waited for.
    return std::min(end, monotonic_ns());
  }

  Tally tally() const {
    check(cudaSetDevice(index_));
    Totals totals = {};
    check(cudaMemcpy(&totals, totals_.data(), sizeof totals, cudaMemcpyDeviceToHost));
    return {totals.solutions, totals.nodes};
  }

  double kernel_seconds() const { return times_->seconds(); }

 private:
  static void copy(Share& share, const std::vector<Job>& jobs) {
    share.jobs.assign(jobs);
    share.device_jobs.resize(jobs.size());
    check(cudaMemcpyAsync(share.device_jobs.data(), share.jobs.data(), jobs.size() * sizeof(Job),
                          cudaMemcpyHostToDevice, share.stream));
    check(cudaMemsetAsync(share.next.data(), 0, sizeof(unsigned int), share.stream));
  }

  void launch(Share& share, uint32_t jobs) {
    const int needed = static_cast<int>((jobs + kThreads - 1) / kThreads);
    kernel_<<<std::min(blocks_, needed), kThreads, shared_bytes_, share.stream>>>(
        boards_.data(), share.device_jobs.data(), jobs, share.next.data(), totals_.data());
    check(cudaGetLastError());
  }

  void tie_clocks() {
    last_.emplace();
    last_->record(shares_[0]->stream);
    last_->wait();
    times_.emplace(monotonic_ns());
  }

  Share& share_of(int64_t lap) { return *shares_[static_cast<size_t>(lap) % shares_.size()]; }

  int index_;
  Kernel kernel_;
  size_t shared_bytes_;
  int blocks_ = 0;
  DeviceArray<InnerBoard> boards_;
  DeviceArray<Totals> totals_;
  std::array<std::unique_ptr<Share>, kLapsUnderWay> shares_;
  std::optional<TimedEvent> last_;  // the end of the newest lap that was waited for
  std::optional<KernelTimes> times_;
};

/// Returns every count-th job, starting at `index`.
std::vector<Job> deal(const std::vector<Job>& jobs, size_t index, size_t count) {
  std::vector<Job> dealt;
  dealt.reserve(jobs.size() / count + 1);
  for (size_t i = index; i < jobs.size(); i += count) dealt.push_back(jobs[i]);
  return dealt;
}

}  // namespace

std::vector<std::string> find_devices(int64_t wanted) {
  int found = 0;
  const cudaError_t status = cudaGetDeviceCount(&found);
  if (status != cudaSuccess || found == 0) {
    throw DeviceError("no usable GPU here (" + std::string(cudaGetErrorString(status)) +
                      "); use --device cpu");
  }
  if (found < wanted) {
    throw DeviceError("--gpus " + std::to_string(wanted) + ": here are " + std::to_string(found));
  }
  std::vector<std::string> names;
  for (int i = 0; i < wanted; ++i) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, i));
    names.emplace_back(properties.name);
  }
  return names;
}

DeviceTally search_on_devices(const DeviceWork& work, int devices, const Laps& laps,
                              const LapReports& reports) {
  std::vector<std::unique_ptr<Device>> machines;
  for (int i = 0; i < devices; ++i) machines.push_back(std::make_unique<Device>(i, work));
  DeviceTally found{work.before};
  DeviceQueue queue;
  queue.start = [&](int64_t lap) {
    const std::vector<Job> jobs = jobs_of(work, laps.end(lap - 1), laps.end(lap), found.tally);
    for (size_t i = 0; i < machines.size(); ++i) {
      machines[i]->start(lap, deal(jobs, i, machines.size()));
    }
  };
  queue.has_ended = [&](int64_t lap) {
    return std::all_of(machines.begin(), machines.end(),
                       [lap](const auto& machine) { return machine->has_ended(lap); });
  };
  queue.wait = [&](int64_t lap) {
    int64_t end = 0;
    for (const auto& machine : machines) end = std::max(end, machine->wait(lap));
    return end;
  };
  run_laps(laps.count(), queue, reports);
  for (const auto& machine : machines) {
    found.tally += machine->tally();
    found.kernel_seconds = std::max(found.kernel_seconds, machine->kernel_seconds());
  }
  return found;
}

}  // namespace lapcast::workloads::nqueens
