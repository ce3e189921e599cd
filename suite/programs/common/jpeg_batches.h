#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/batches.h"
#include "data/jpeg_set.h"

namespace lapcast::workloads {

/// Returns batches of pictures scaled to 0..1: count x 3 x side x side, channels last in memory.
///
/// Threads decode the pictures of the next batches while the trainer works on one. The time in
/// which the trainer waits for them is reported as the stage "input-stall".
class JpegBatches : public BatchSource {
 public:
  /// Every picture must have side x side pixels; take() throws std::runtime_error for others.
  JpegBatches(JpegSet set, int64_t side, int64_t workers, c10::Device device);
  ~JpegBatches() override;

  /// Must be called from one thread.
  Batch take(int64_t first, int64_t count) const override;
  int64_t size() const override { return set_.count(); }

 private:
  struct Request;

  std::vector<int64_t> images_at(int64_t first, int64_t count) const;
  at::TensorOptions host_memory(at::ScalarType type) const;
  void ask_for(std::vector<int64_t> images) const;
  void work(const std::stop_token& stop);

  JpegSet set_;
  int64_t side_;
  c10::Device device_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any asked_;
  mutable std::condition_variable finished_;
  mutable std::deque<std::shared_ptr<Request>> requests_;
  std::vector<std::jthread> workers_;  // last: they end before what they use
};

}  // namespace lapcast::workloads
