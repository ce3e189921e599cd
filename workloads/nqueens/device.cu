// Runs the search on GPUs. One thread searches one tree after the other. Trees come from a common
// counter, so no thread waits for a slower one before the last trees of a lap. The waiting nodes of
// each thread are in shared memory. Each device has two laps in progress: the CPU cuts the trees of
// one while the device searches the other, and the first trees of one fill the device while the
// last trees of the other end.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "nqueens/device.h"

namespace lapcast::workloads::nqueens {
namespace {

constexpr int kThreads = 64;  // per block; small, so that blocks fill the shared memory

void check(cudaError_t status) {
  if (status != cudaSuccess) throw DeviceError(cudaGetErrorString(status));
}

/// Holds what the threads of a launch share.
struct Progress {
  unsigned int next;  // the first job that no thread has taken
  unsigned long long solutions, nodes;
};
static_assert(sizeof(unsigned long long) == sizeof(uint64_t));

template <bool kLookAhead>
__global__ void __launch_bounds__(kThreads)
    search_kernel(const InnerBoard* boards, const Job* jobs, uint32_t count, Progress* progress) {
  extern __shared__ Node frames[];
  const auto next = [progress] { return atomicAdd(&progress->next, 1u); };
  const Tally tally = search_jobs<kLookAhead>(boards, jobs, count, next, frames + threadIdx.x,
                                              static_cast<int>(blockDim.x));
  atomicAdd(&progress->solutions, static_cast<unsigned long long>(tally.solutions));
  atomicAdd(&progress->nodes, static_cast<unsigned long long>(tally.nodes));
}

using Kernel = void (*)(const InnerBoard*, const Job*, uint32_t, Progress*);

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

/// Holds a device's share of one lap.
class Share {
 public:
  Share() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    progress_.resize(1);
  }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() { cudaStreamDestroy(stream_); }

  /// Queues the search. The jobs are kept until it is done.
  void start(Kernel kernel, int blocks, size_t shared_bytes, const InnerBoard* boards,
             std::vector<Job> jobs) {
    jobs_ = std::move(jobs);
    result_ = {};
    if (jobs_.empty()) return;
    device_jobs_.resize(jobs_.size());
    check(cudaMemcpyAsync(device_jobs_.data(), jobs_.data(), jobs_.size() * sizeof(Job),
                          cudaMemcpyHostToDevice, stream_));
    check(cudaMemsetAsync(progress_.data(), 0, sizeof(Progress), stream_));
    kernel<<<blocks, kThreads, shared_bytes, stream_>>>(
        boards, device_jobs_.data(), static_cast<uint32_t>(jobs_.size()), progress_.data());
    check(cudaGetLastError());
    check(cudaMemcpyAsync(&result_, progress_.data(), sizeof(Progress), cudaMemcpyDeviceToHost,
                          stream_));
  }

  Tally wait() {
    check(cudaStreamSynchronize(stream_));
    return {result_.solutions, result_.nodes};
  }

 private:
  cudaStream_t stream_ = nullptr;
  std::vector<Job> jobs_;
  DeviceArray<Job> device_jobs_;
  DeviceArray<Progress> progress_;
  Progress result_ = {};
};

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
    for (auto& share : shares_) share = std::make_unique<Share>();
  }

  void start(int64_t lap, std::vector<Job> jobs) {
    check(cudaSetDevice(index_));
    const int needed = static_cast<int>((jobs.size() + kThreads - 1) / kThreads);
    share_of(lap).start(kernel_, std::min(blocks_, needed), shared_bytes_, boards_.data(),
                        std::move(jobs));
  }

  Tally wait(int64_t lap) {
    check(cudaSetDevice(index_));
    return share_of(lap).wait();
  }

 private:
  Share& share_of(int64_t lap) { return *shares_[static_cast<size_t>(lap) % shares_.size()]; }

  int index_;
  Kernel kernel_;
  size_t shared_bytes_;
  int blocks_ = 0;
  DeviceArray<InnerBoard> boards_;
  std::array<std::unique_ptr<Share>, 2> shares_;
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

Tally search_on_devices(const DeviceWork& work, int devices, const Laps& laps,
                        const std::function<void(int64_t roots)>& on_lap) {
  std::vector<std::unique_ptr<Device>> machines;
  for (int i = 0; i < devices; ++i) machines.push_back(std::make_unique<Device>(i, work));
  Tally tally = work.before;
  const auto start = [&](int64_t lap) {
    const std::vector<Job> jobs = jobs_of(work, laps.end(lap - 1), laps.end(lap), tally);
    for (size_t i = 0; i < machines.size(); ++i) {
      machines[i]->start(lap, deal(jobs, i, machines.size()));
    }
  };
  start(1);
  for (int64_t lap = 1; lap <= laps.count(); ++lap) {
    if (lap < laps.count()) start(lap + 1);
    for (const auto& machine : machines) tally += machine->wait(lap);
    on_lap(laps.size(lap));
  }
  return tally;
}

}  // namespace lapcast::workloads::nqueens
