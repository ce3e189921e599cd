#include "common/tensor_file.h"

#include <ATen/Functions.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <fstream>
#include <stdexcept>
#include <vector>

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

/// Returns the tensor on the CPU, as the only one in its storage.
at::Tensor alone(const at::Tensor& tensor) {
  const at::Tensor here = tensor.detach().cpu();
  return here.storage().nbytes() == here.nbytes() ? here : here.clone();
}

/// Writes the archive by itself, because LibTorch's pickle_save() adds the types of its containers,
/// which torch.load() refuses unless the file is trusted.
void write_archive(std::ofstream& out, const NamedTensors& tensors) {
  c10::Dict<std::string, at::Tensor> dict;
  for (const auto& [name, tensor] : tensors) dict.insert(name, alone(tensor));

  std::vector<char> text;
  const auto append = [&](const char* bytes, size_t count) {
    text.insert(text.end(), bytes, bytes + count);
  };
  torch::jit::Pickler pickler(append, nullptr, nullptr, nullptr, nullptr, /*tag_aggregates=*/false);
  pickler.protocol();
  pickler.pushIValue(dict);
  pickler.stop();

  caffe2::serialize::PyTorchStreamWriter writer([&](const void* bytes, size_t count) {
    out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
    return out ? count : 0;
  });
  writer.writeRecord("data.pkl", text.data(), text.size());
  int64_t number = 0;
  for (const at::Tensor& tensor : pickler.tensorData()) {
    writer.writeRecord("data/" + std::to_string(number++), tensor.storage().data(),
                       tensor.storage().nbytes());
  }
  writer.writeEndOfFile();
}

}  // namespace

int64_t write_tensors(const fs::path& file, const NamedTensors& tensors) {
  fs::path unfinished = file;
  unfinished += ".part";
  std::error_code error;
  int64_t bytes = 0;
  try {
    std::ofstream out(unfinished, std::ios::binary);
    if (out) write_archive(out, tensors);
    bytes = out.tellp();
    out.close();
    if (!out) throw std::runtime_error("");
    fs::rename(unfinished, file);
  } catch (const std::exception&) {  // Messages of LibTorch are pages long.
    fs::remove(unfinished, error);
    throw std::runtime_error(file.string() + ": cannot be written");
  }
  return bytes;
}

}  // namespace lapcast::workloads
