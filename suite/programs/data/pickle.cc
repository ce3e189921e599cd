#include "data/pickle.h"

#include <stdexcept>

#include "data/pickle_machine.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kMostNumbers = int64_t{1} << 40;  // of a tensor or a storage

/// Returns the entry of a dict, or null.
const PickleValue* entry_of(const PickleValue& dict, std::string_view key) {
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    if (dict.items[i]->kind == PickleKind::kText && dict.items[i]->text == key)
      return dict.items[i + 1];
  }
  return nullptr;
}

std::vector<PickledTensor> tensors_of(const PickleValue& root) {
  if (root.kind != PickleKind::kDict) throw std::runtime_error("holds no dictionary of tensors");
  const PickleValue* dict = &root;
  for (const char* key : {"model", "state_dict"}) {
    const PickleValue* inner = entry_of(root, key);
    if (inner && inner->kind == PickleKind::kDict) dict = inner;
  }
  std::vector<PickledTensor> tensors;
  for (size_t i = 0; i + 1 < dict->items.size(); i += 2) {
    const PickleValue &key = *dict->items[i], &value = *dict->items[i + 1];
    if (key.kind != PickleKind::kText || value.kind != PickleKind::kTensor) continue;
    tensors.push_back(*value.tensor);
    tensors.back().name = key.text;
  }
  return tensors;
}

}  // namespace

bool lies_in_storage(const PickledTensor& tensor) {
  if (tensor.sizes.size() != tensor.strides.size()) return false;
  if (tensor.storage_numbers < 0 || tensor.storage_numbers > kMostNumbers) return false;
  for (const int64_t size : tensor.sizes) {
    if (size == 0) return tensor.offset >= 0 && tensor.offset <= tensor.storage_numbers;
  }
  int64_t last = tensor.offset;  // the place of the last number
  if (last < 0 || last >= tensor.storage_numbers) return false;
  int64_t count = 1;
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    const int64_t size = tensor.sizes[d], stride = tensor.strides[d];
    if (size > kMostNumbers / count) return false;
    count *= size;
    if (size == 1) continue;
    if (stride > (tensor.storage_numbers - last) / (size - 1)) return false;
    last += stride * (size - 1);
  }
  return last < tensor.storage_numbers;
}

std::vector<PickledTensor> read_pickled_tensors(std::string_view pickle) {
  return tensors_of(PickleMachine(pickle, 0).result());
}

LegacyStateDict read_legacy_pickles(std::string_view file) {
  constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
  const PickleMachine magic(file, 0);
  if (magic.result().text != kMagic) throw std::runtime_error("is not a file of torch.save()");
  const PickleMachine version(file, magic.end());
  const PickleMachine writer(file, version.end());  // the machine that wrote the file
  const PickleMachine dict(file, writer.end());
  const PickleMachine names(file, dict.end());
  LegacyStateDict found{tensors_of(dict.result()), {}, names.end()};
  for (const PickleValue* name : names.result().items) found.storages.push_back(name->text);
  return found;
}

}  // namespace lapcast::workloads
