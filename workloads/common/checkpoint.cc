#include "common/checkpoint.h"

#include <torch/csrc/jit/serialization/pickle.h>

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;
using TensorDict = c10::Dict<std::string, at::Tensor>;

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

std::vector<char> read_bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file.string() + ": cannot be opened");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int64_t write_tensors(const fs::path& file, const NamedTensors& tensors) {
  TensorDict dict;
  for (const auto& [name, tensor] : tensors) dict.insert(name, tensor.detach().cpu());
  const std::vector<char> bytes = torch::jit::pickle_save(dict);

  fs::path unfinished = file;
  unfinished += ".part";
  std::ofstream out(unfinished, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code error;
  if (out) fs::rename(unfinished, file, error);
  if (!out || error) {
    fs::remove(unfinished, error);
    throw std::runtime_error(file.string() + ": cannot be written");
  }
  return static_cast<int64_t>(bytes.size());
}

int64_t write_checkpoint(const fs::path& file, const Checkpoint& checkpoint) {
  NamedTensors tensors = checkpoint.tensors;
  tensors[kProgress] = to_tensor(checkpoint.progress);
  return write_tensors(file, tensors);
}

Checkpoint read_checkpoint(const fs::path& file) {
  const std::vector<char> bytes = read_bytes(file);
  Checkpoint checkpoint;
  try {
    const c10::IValue value = torch::jit::pickle_load(bytes);
    for (const auto& entry : value.toGenericDict()) {
      checkpoint.tensors[entry.key().toStringRef()] = entry.value().toTensor();
    }
    checkpoint.progress = to_progress(checkpoint.tensors.at(kProgress));
  } catch (const std::exception&) {  // LibTorch's own messages are pages long
    throw std::runtime_error(file.string() + ": damaged, or not a checkpoint of this suite");
  }
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
