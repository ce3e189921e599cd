#include "common/state_dict.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <caffe2/serialize/inline_container.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>

#include "data/pickle.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

at::ScalarType number_type(const std::string& storage) {
  static const std::map<std::string, at::ScalarType> kTypes = {
      {"FloatStorage", at::kFloat}, {"DoubleStorage", at::kDouble},     {"HalfStorage", at::kHalf},
      {"LongStorage", at::kLong},   {"BFloat16Storage", at::kBFloat16}, {"IntStorage", at::kInt},
      {"ShortStorage", at::kShort}, {"CharStorage", at::kChar},         {"ByteStorage", at::kByte},
      {"BoolStorage", at::kBool}};
  const auto found = kTypes.find(storage);
  if (found == kTypes.end()) throw std::runtime_error("has numbers of a type that no network has");
  return found->second;
}

/// Returns the bytes of the storage of a tensor.
using ReadStorage = std::function<at::Storage(const PickledTensor& tensor)>;

/// Makes the tensors. Those that share a storage in the file share it in memory.
NamedTensors tensors_from(const std::vector<PickledTensor>& described, const ReadStorage& read) {
  std::map<std::string, at::Storage> storages;
  NamedTensors tensors;
  for (const PickledTensor& tensor : described) {
    const at::ScalarType type = number_type(tensor.type);
    auto place = storages.find(tensor.storage);
    if (place == storages.end()) place = storages.emplace(tensor.storage, read(tensor)).first;
    const size_t bytes = static_cast<size_t>(tensor.storage_numbers) * at::elementSize(type);
    if (place->second.nbytes() != bytes) {
      throw std::runtime_error("storage " + tensor.storage + " has " +
                               std::to_string(place->second.nbytes()) + " bytes instead of " +
                               std::to_string(bytes));
    }
    tensors[tensor.name] =
        at::empty({0}, type).set_(place->second, tensor.offset, tensor.sizes, tensor.strides);
  }
  return tensors;
}

/// Reads the archive that torch.save() writes.
NamedTensors read_archive(const fs::path& file) {
  caffe2::serialize::PyTorchStreamReader archive(file.string());
  const uintmax_t whole = fs::file_size(file);
  const auto record = [&](const std::string& name) {
    // Nothing in such an archive is packed, so a larger record is a trap.
    if (archive.getRecordSize(name) > whole) throw std::runtime_error("has a packed record");
    return archive.getRecord(name);
  };
  if (archive.hasRecord("byteorder")) {
    const auto [order, size] = record("byteorder");
    if (std::string_view(static_cast<const char*>(order.get()), size) != "little") {
      throw std::runtime_error("has numbers in big-endian order");
    }
  }
  const auto [pickle, size] = record("data.pkl");
  const std::string_view text(static_cast<const char*>(pickle.get()), size);
  return tensors_from(read_pickled_tensors(text), [&](const PickledTensor& tensor) {
    auto [bytes, count] = record("data/" + tensor.storage);
    return at::Storage(at::Storage::use_byte_size_t(), static_cast<int64_t>(count),
                       std::move(bytes));
  });
}

/// Reads a file as torch.save() wrote it before PyTorch 1.6.
NamedTensors read_legacy(const std::string& file) {
  const LegacyStateDict dict = read_legacy_pickles(file);
  std::map<std::string, at::ScalarType> types;
  for (const PickledTensor& tensor : dict.tensors) types[tensor.storage] = number_type(tensor.type);
  std::map<std::string, at::Tensor> storages;
  size_t at = dict.first_storage;
  for (const std::string& name : dict.storages) {
    int64_t numbers = 0;
    if (!types.contains(name)) throw std::runtime_error("has a storage without a tensor");
    const size_t size = at::elementSize(types[name]);
    if (file.size() - at < sizeof numbers) throw std::runtime_error("ends within a storage");
    std::memcpy(&numbers, file.data() + at, sizeof numbers);
    at += sizeof numbers;
    if (numbers < 0 || static_cast<size_t>(numbers) > (file.size() - at) / size) {
      throw std::runtime_error("ends within a storage");
    }
    storages[name] = at::empty({numbers}, types[name]);
    const size_t bytes = static_cast<size_t>(numbers) * size;
    if (bytes > 0) std::memcpy(storages[name].data_ptr(), file.data() + at, bytes);
    at += bytes;
  }
  return tensors_from(dict.tensors, [&](const PickledTensor& tensor) {
    const auto found = storages.find(tensor.storage);
    if (found == storages.end()) throw std::runtime_error("has a tensor without its storage");
    return found->second.storage();
  });
}

NamedTensors read_any(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot be opened");
  char first[2] = {};
  in.read(first, sizeof first);
  if (std::string_view(first, sizeof first) == "PK") return read_archive(file);
  if (first[0] != '\x80') throw std::runtime_error("is not a file of torch.save()");
  in.clear();
  in.seekg(0);
  return read_legacy({std::istreambuf_iterator<char>(in), {}});
}

/// Returns "missing: a, b and 3 more", or "" for no names.
std::string listed(const char* what, const std::vector<std::string>& names) {
  constexpr size_t kShown = 4;
  if (names.empty()) return "";
  std::string text = std::string("; ") + what + ": ";
  for (size_t i = 0; i < std::min(kShown, names.size()); ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

std::string shape_text(const at::Tensor& tensor) {
  std::string text;
  for (const int64_t size : tensor.sizes()) {
    if (!text.empty()) text += 'x';
    text += std::to_string(size);
  }
  return text.empty() ? "one number" : text;
}

bool is_spare(const std::string& name, const std::vector<std::string>& spare) {
  return name.ends_with("num_batches_tracked") ||
         std::any_of(spare.begin(), spare.end(),
                     [&](const std::string& prefix) { return name.starts_with(prefix); });
}

}  // namespace

NamedTensors read_state_dict(const fs::path& file) {
  try {
    return read_any(file);
  } catch (const c10::Error&) {  // Messages of LibTorch are pages long.
    throw std::runtime_error(file.string() + ": damaged, or not a file of torch.save()");
  } catch (const std::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

void load_state_dict(torch::nn::Module& network, const NamedTensors& tensors,
                     const std::string& source, const std::vector<std::string>& spare) {
  NamedTensors places;
  for (const auto& parameter : network.named_parameters()) {
    places[parameter.key()] = parameter.value();
  }
  for (const auto& buffer : network.named_buffers()) places[buffer.key()] = buffer.value();
  std::vector<std::string> missing, unknown, misshaped;
  for (const auto& [name, place] : places) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) {
      if (!name.ends_with("num_batches_tracked")) missing.push_back(name);
    } else if (found->second.sizes() != place.sizes()) {
      misshaped.push_back(name + " (" + shape_text(found->second) + " instead of " +
                          shape_text(place) + ")");
    }
  }
  for (const auto& [name, tensor] : tensors) {
    if (!places.contains(name) && !is_spare(name, spare)) unknown.push_back(name);
  }
  const std::string faults = listed("missing", missing) + listed("unknown", unknown) +
                             listed("of another shape", misshaped);
  if (!faults.empty()) throw std::runtime_error(source + ": does not fit the network" + faults);
  const c10::AutoGradMode no_grad(false);
  for (auto& [name, place] : places) {
    const auto found = tensors.find(name);
    if (found != tensors.end()) place.copy_(found->second);
  }
}

}  // namespace lapcast::workloads
