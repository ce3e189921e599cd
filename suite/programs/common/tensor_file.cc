#include "common/tensor_file.h"

#include <ATen/Functions.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "data/durable_file.h"

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
void write_archive(DurableFile& out, const NamedTensors& tensors) {
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

  // A writer that learns of an error throws another one in its destructor: it is told nothing.
  bool whole = true;
  caffe2::serialize::PyTorchStreamWriter writer([&](const void* bytes, size_t count) {
    try {
      if (whole) out.append(std::span(static_cast<const uint8_t*>(bytes), count));
    } catch (const FileError&) {
      whole = false;
    }
    return count;
  });
  writer.writeRecord("data.pkl", text.data(), text.size());
  int64_t number = 0;
  for (const at::Tensor& tensor : pickler.tensorData()) {
    writer.writeRecord("data/" + std::to_string(number++), tensor.storage().data(),
                       tensor.storage().nbytes());
  }
  writer.writeEndOfFile();
  if (!whole) throw std::runtime_error("not whole");
}

}  // namespace

int64_t write_tensors(const fs::path& file, const NamedTensors& tensors) {
  try {
    DurableFile out(file);
    write_archive(out, tensors);
    out.finish();
    return static_cast<int64_t>(out.size());
  } catch (const std::exception&) {  // Messages of LibTorch are pages long.
    throw std::runtime_error(file.string() + ": cannot be written");
  }
}

}  // namespace lapcast::workloads
