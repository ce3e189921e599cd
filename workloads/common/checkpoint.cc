#include "common/checkpoint.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <stdexcept>

#include "common/state_dict.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgress = "lapcast.progress";  // epochs done, best, epochs since best

at::Tensor to_tensor(const Progress& progress) {
  return at::tensor({static_cast<double>(progress.epochs_done), progress.early.best,
                     static_cast<double>(progress.early.epochs_since_best)},
                    at::kDouble);
}

Progress to_progress(const at::Tensor& tensor) {
  Progress progress;
  progress.epochs_done = static_cast<int64_t>(tensor[0].item<double>());
  progress.early.best = tensor[1].item<double>();
  progress.early.epochs_since_best = static_cast<int64_t>(tensor[2].item<double>());
  return progress;
}

}  // namespace

int64_t write_checkpoint(const fs::path& file, const Checkpoint& checkpoint) {
  NamedTensors tensors = checkpoint.tensors;
  tensors[kProgress] = to_tensor(checkpoint.progress);
  return write_tensors(file, tensors);
}

Checkpoint read_checkpoint(const fs::path& file) {
  Checkpoint checkpoint;
  try {
    checkpoint.tensors = read_state_dict(file);
  } catch (const std::runtime_error&) {  // The next line says it.
  }
  const auto progress = checkpoint.tensors.find(kProgress);
  if (progress == checkpoint.tensors.end() || progress->second.numel() != 3) {
    throw std::runtime_error(file.string() + ": damaged, or not a checkpoint of this suite");
  }
  checkpoint.progress = to_progress(progress->second.to(at::kDouble));
  checkpoint.tensors.erase(kProgress);
  return checkpoint;
}

bool restore(const Checkpoint& checkpoint, const std::string& name, at::Tensor into) {
  const auto found = checkpoint.tensors.find(name);
  if (found == checkpoint.tensors.end()) return false;
  if (found->second.sizes() != into.sizes()) {
    throw std::runtime_error("the checkpoint's " + name + " has another shape than the network's");
  }
  const c10::AutoGradMode no_grad(false);
  into.copy_(found->second);
  return true;
}

}  // namespace lapcast::workloads
