#include "common/tensor_memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>

#include "common/first_fit.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kSmallestPiece = 64 << 10;
constexpr int64_t kPage = 4096;

/// Is a range of addresses for tensors. A block that finds no place in it comes from the allocator
/// that LibTorch had before.
class TensorMemory : public c10::Allocator {
 public:
  TensorMemory(char* begin, int64_t size, c10::Allocator* before)
      : begin_(begin), size_(size), places_(size), before_(before) {}

  c10::DataPtr allocate(size_t bytes) override {
    const auto size = static_cast<int64_t>(bytes);
    if (size < kSmallestPiece || size > size_) return before_->allocate(bytes);
    std::optional<int64_t> place;
    {
      const std::lock_guard lock(mutex_);
      place = places_.take((size + kPage - 1) / kPage * kPage);
    }
    if (!place) return before_->allocate(bytes);
    char* const data = begin_ + *place;
    return {data, data, &release, c10::Device(c10::kCPU)};
  }

  /// Frees the block, whichever allocator it came from.
  c10::DeleterFnPtr raw_deleter() const override { return &release; }

  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }

  static TensorMemory* installed;

 private:
  static void release(void* data) {
    TensorMemory& memory = *installed;
    const int64_t place = static_cast<char*>(data) - memory.begin_;
    if (place < 0 || place >= memory.size_) return memory.before_->raw_deleter()(data);
    const std::lock_guard lock(memory.mutex_);
    memory.places_.give_back(place);
  }

  char* begin_;
  int64_t size_;
  std::mutex mutex_;
  FirstFit places_;
  c10::Allocator* before_;
};

TensorMemory* TensorMemory::installed = nullptr;

}  // namespace

bool place_tensors_by_first_fit() {
  if (TensorMemory::installed) return true;
  // As much as the machine has memory, so that a tensor that does not fit would not fit anywhere.
  const int64_t size = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  void* const begin = mmap(nullptr, static_cast<size_t>(size), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return false;
  // It lives as long as the process: LibTorch frees tensors until its very end.
  TensorMemory::installed =
      new TensorMemory(static_cast<char*>(begin), size, c10::GetCPUAllocator());
  constexpr uint8_t kPriority = 1;
  c10::SetCPUAllocator(TensorMemory::installed, kPriority);
  return true;
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  if (!(file >> all >> resident)) return 0;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace lapcast::workloads
