#include "common/checkpoint.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <system_error>

#include "common/state_dict.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgress = "lapcast.progress";  // epochs done, best, epochs since best
constexpr const char* kPlateau = "lapcast.plateau";    // best, epochs since, scale, best loss

at::Tensor to_tensor(const Progress& progress) {
  return at::tensor({static_cast<double>(progress.epochs_done), progress.early.best,
                     static_cast<double>(progress.early.epochs_since_best)},
                    at::kDouble);
}

at::Tensor plateau_tensor(const Progress& progress) {
  return at::tensor({progress.plateau.best, static_cast<double>(progress.plateau.epochs_since_best),
                     progress.plateau.scale, progress.best_loss},
                    at::kDouble);
}

/// Returns whether the plateau is whole, or absent as in checkpoints of older versions.
bool take_plateau(NamedTensors& tensors, Progress& progress) {
  const auto found = tensors.find(kPlateau);
  if (found == tensors.end()) return true;
  if (found->second.numel() != 4) return false;
  const at::Tensor numbers = found->second.to(at::kDouble).flatten();
  progress.plateau.best = numbers[0].item<double>();
  progress.plateau.epochs_since_best = static_cast<int64_t>(numbers[1].item<double>());
  progress.plateau.scale = numbers[2].item<double>();
  progress.best_loss = numbers[3].item<double>();
  tensors.erase(found);
  return true;
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
  tensors[kPlateau] = plateau_tensor(checkpoint.progress);
  return write_tensors(file, tensors);
}

Checkpoint read_checkpoint(const fs::path& file) {
  Checkpoint checkpoint;
  try {
    checkpoint.tensors = read_state_dict(file);
  } catch (const std::runtime_error&) {  // The next line says it.
  }
  const auto progress = checkpoint.tensors.find(kProgress);
  const bool whole = progress != checkpoint.tensors.end() && progress->second.numel() == 3;
  if (whole) {
    checkpoint.progress = to_progress(progress->second.to(at::kDouble).flatten());
    checkpoint.tensors.erase(progress);
  }
  if (!whole || !take_plateau(checkpoint.tensors, checkpoint.progress))
    throw std::runtime_error(file.string() + ": damaged, or not a checkpoint of this suite");
  return checkpoint;
}

std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::map<int64_t, fs::path, std::greater<>> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    long long epoch = 0;
    int end = 0;
    const std::string name = entry.path().filename().string();
    if (std::sscanf(name.c_str(), "checkpoint-%9lld.pt%n", &epoch, &end) == 1 &&
        static_cast<size_t>(end) == name.size()) {
      found[epoch] = entry.path();
    }
  }
  std::vector<fs::path> files;
  for (const auto& [epoch, file] : found) files.push_back(file);
  return files;
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
