#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast::workloads {

/// Describes a tensor of a pickled state dict: its name and where its numbers lie in a storage.
struct PickledTensor {
  std::string name;             ///< "layer1.0.conv1.weight"
  std::string type;             ///< of its numbers: "FloatStorage"
  std::string storage;          ///< the name of the storage: "0"
  int64_t storage_numbers = 0;  ///< numbers that the storage holds
  int64_t offset = 0;           ///< of the first number in the storage
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

/// Returns whether all numbers of the tensor lie within its storage.
bool lies_in_storage(const PickledTensor& tensor);

/// Reads the pickle of a state dict, a dictionary of tensors as torch.save() writes it, and returns
/// its tensors in their order, each within its storage. Entries that are not tensors are left out.
/// A dictionary that holds the state dict under "model" or "state_dict" is accepted, too.
///
/// A pickle is a program for a stack machine, which can call any function of Python. This machine
/// knows no function but those that make dictionaries and tensors, and it refuses all others.
/// LibTorch's own reader has no ordered dictionary, which a state dict of Python is.
///
/// Throws std::runtime_error with a message such as "byte 27 calls posix.system, which no state
/// dict does".
std::vector<PickledTensor> read_pickled_tensors(std::string_view pickle);

/// Holds what torch.save() wrote before PyTorch 1.6: pickles, and then the storages.
struct LegacyStateDict {
  std::vector<PickledTensor> tensors;
  std::vector<std::string> storages;  ///< the names of the storages, in the order of the file
  size_t first_storage = 0;           ///< the byte at which they begin, each with its count (int64)
};

/// Reads the pickles at the beginning of such a file. Throws as read_pickled_tensors() does.
LegacyStateDict read_legacy_pickles(std::string_view file);

}  // namespace lapcast::workloads
