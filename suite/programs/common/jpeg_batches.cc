#include "common/jpeg_batches.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

#include "common/stage.h"
#include "data/jpeg.h"

namespace lapcast::workloads {
namespace {

constexpr size_t kBatchesAhead = 3;  // beside the one that the trainer works on

/// Decodes a picture and scales it to 0..1. Its colours follow each other in the file as they do in
/// memory.
void decode_into(float* to, JpegReader& reader, Picture& photo, const std::vector<uint8_t>& file,
                 int64_t side) {
  constexpr float kScale = 1.0f / 255;
  const JpegReader::Size size = reader.open(file);
  if (size.width != side || size.height != side) {
    throw PictureError("has " + std::to_string(size.width) + "x" + std::to_string(size.height) +
                       " pixels instead of " + std::to_string(side) + "x" + std::to_string(side));
  }
  reader.decode(1, photo);
  for (size_t i = 0; i < photo.pixels.size(); ++i)
    to[i] = static_cast<float>(photo.pixels[i]) * kScale;
}

}  // namespace

/// Is a batch that is being decoded.
struct JpegBatches::Request {
  std::vector<int64_t> images;
  at::Tensor pixels;
  size_t begun = 0;
  size_t done = 0;
  std::exception_ptr error;

  bool is_done() const { return done == images.size(); }
};

JpegBatches::JpegBatches(JpegSet set, int64_t side, int64_t workers, c10::Device device)
    : BatchSource(set.count(), c10::kCPU), set_(std::move(set)), side_(side), device_(device) {
  for (int64_t w = 0; w < workers; ++w) {
    workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

JpegBatches::~JpegBatches() {
  for (std::jthread& worker : workers_) worker.request_stop();
}

std::vector<int64_t> JpegBatches::images_at(int64_t first, int64_t count) const {
  const auto begin = order().begin() + first;
  return {begin, begin + std::min(count, std::max<int64_t>(0, order().end() - begin))};
}

/// Returns pinned memory for a GPU, which can be copied there while both work on.
at::TensorOptions JpegBatches::host_memory(at::ScalarType type) const {
  return at::TensorOptions(type).pinned_memory(!device_.is_cpu());
}

void JpegBatches::ask_for(std::vector<int64_t> images) const {
  const auto count = static_cast<int64_t>(images.size());
  auto request = std::make_shared<Request>();
  request->images = std::move(images);
  request->pixels =
      at::empty({count, 3, side_, side_}, host_memory(at::kFloat), at::MemoryFormat::ChannelsLast);
  requests_.push_back(std::move(request));
  asked_.notify_all();
}

void JpegBatches::work(const std::stop_token& stop) {
  JpegReader reader;
  Picture photo;
  std::unique_lock lock(mutex_);
  const auto has_work = [](const auto& request) { return request->begun < request->images.size(); };
  while (asked_.wait(lock, stop,
                     [&] { return std::any_of(requests_.begin(), requests_.end(), has_work); })) {
    const std::shared_ptr<Request> request =
        *std::find_if(requests_.begin(), requests_.end(), has_work);
    const size_t i = request->begun++;
    const auto image = static_cast<size_t>(request->images[i]);
    float* to = request->pixels.data_ptr<float>() + static_cast<int64_t>(i) * 3 * side_ * side_;
    lock.unlock();
    std::exception_ptr error;
    try {
      decode_into(to, reader, photo, set_.files[image], side_);
    } catch (const std::exception& problem) {
      error =
          std::make_exception_ptr(std::runtime_error(set_.places[image] + ": " + problem.what()));
    }
    lock.lock();
    if (error) request->error = error;
    if (++request->done == request->images.size()) finished_.notify_all();
  }
}

Batch JpegBatches::take(int64_t first, int64_t count) const {
  const std::vector<int64_t> images = images_at(first, count);
  std::unique_lock lock(mutex_);
  // Batches of an order that is no longer wanted are dropped.
  if (!requests_.empty() && requests_.front()->images != images) requests_.clear();
  if (requests_.empty()) ask_for(images);
  const std::shared_ptr<Request> request = requests_.front();
  for (size_t ahead = requests_.size(); ahead <= kBatchesAhead; ++ahead) {
    std::vector<int64_t> next = images_at(first + static_cast<int64_t>(ahead) * count, count);
    if (next.empty()) break;
    ask_for(std::move(next));
  }
  if (!request->is_done()) {
    const Stage stage("input-stall");
    finished_.wait(lock, [&] { return request->is_done(); });
  }
  requests_.pop_front();
  if (request->error) std::rethrow_exception(request->error);
  at::Tensor labels = at::empty({static_cast<int64_t>(images.size())}, host_memory(at::kLong));
  for (size_t i = 0; i < images.size(); ++i) {
    labels.data_ptr<int64_t>()[i] = set_.labels[static_cast<size_t>(images[i])];
  }
  return {request->pixels.to(device_, /*non_blocking=*/true),
          labels.to(device_, /*non_blocking=*/true)};
}

}  // namespace lapcast::workloads
