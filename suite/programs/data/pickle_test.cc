#include "data/pickle.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace lapcast::workloads {
namespace {

std::string text_op(const std::string& text) {
  return "\x8c" + std::string(1, static_cast<char>(text.size())) + text;
}

std::string global_op(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}

/// Returns the instructions that push a storage of `numbers` floats.
std::string storage_ops(char numbers) {
  return "(" + text_op("storage") + global_op("torch", "FloatStorage") + text_op("0") +
         text_op("cpu") + "K" + numbers + "tQ";
}

/// Returns the instructions that push a 2x3 tensor whose rows are `stride` numbers apart.
std::string tensor_ops(char offset, char stride, char numbers) {
  return global_op("torch._utils", "_rebuild_tensor_v2") + "(" + storage_ops(numbers) + "K" +
         offset + "K\2K\3\x86K" + stride + "K\1\x86t" + "R";
}

std::string pickled_dict(const std::string& key, const std::string& value) {
  return "\x80\2}(" + text_op(key) + value + "u.";
}

std::string pickle_refusal(const std::string& pickle) {
  try {
    read_pickled_tensors(pickle);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Pickle, DescribesATensorInItsStorage) {
  const auto tensors = read_pickled_tensors(pickled_dict("conv.weight", tensor_ops(1, 3, 7)));
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors[0].name, "conv.weight");
  EXPECT_EQ(tensors[0].type, "FloatStorage");
  EXPECT_EQ(tensors[0].storage, "0");
  EXPECT_EQ(tensors[0].storage_numbers, 7);
  EXPECT_EQ(tensors[0].offset, 1);
  EXPECT_EQ(tensors[0].sizes, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(tensors[0].strides, (std::vector<int64_t>{3, 1}));
}

TEST(Pickle, ReadsOrderedDictionariesWithMetadata) {
  const std::string pickle = "\x80\2" + global_op("collections", "OrderedDict") + ")R" +
                             text_op("a") + tensor_ops(0, 3, 6) + "s}" + text_op("_metadata") +
                             "}sb.";
  EXPECT_EQ(read_pickled_tensors(pickle).size(), 1u);
  EXPECT_EQ(read_pickled_tensors(pickled_dict("epoch", "K\7")).size(), 0u);
}

/// The last of 2x3 numbers is the 6th from the offset when rows are 3 apart, the 7th when 4.
TEST(Pickle, RefusesTensorsBeyondTheirStorage) {
  EXPECT_EQ(pickle_refusal(pickled_dict("a", tensor_ops(1, 4, 8))), "accepted");
  for (const auto& beyond : {tensor_ops(2, 3, 7), tensor_ops(0, 4, 6), tensor_ops(0, 3, 5)}) {
    EXPECT_NE(pickle_refusal(pickled_dict("a", beyond)).find("reaches beyond its storage"),
              std::string::npos);
  }
}

TEST(Pickle, CallsNothing) {
  const std::string call = global_op("posix", "system") + text_op("touch x") + "\x85R.";
  EXPECT_EQ(pickle_refusal("\x80\2" + call),
            "byte 26 calls posix.system, which no state dict does; nothing was run");
}

TEST(Pickle, RefusesWhatIsNoPickleOfTensors) {
  EXPECT_EQ(pickle_refusal(""), "byte 0 begins an instruction that the file cuts off");
  EXPECT_EQ(pickle_refusal("\x80\2K\1."), "holds no dictionary of tensors");
  EXPECT_EQ(pickle_refusal("u"), "byte 0 looks for a mark and finds none");
  EXPECT_EQ(pickle_refusal("}s"), "byte 1 takes a value from an empty stack");
  EXPECT_EQ(pickle_refusal("h\1"), "byte 0 asks for a value that was not kept");
  EXPECT_EQ(pickle_refusal("i"), "byte 0 has an instruction that no state dict has");
}

TEST(Pickle, ADeepValueIsFreedWithoutRecursion) {
  EXPECT_EQ(pickle_refusal("N" + std::string(300'000, '\x85') + "."),
            "holds no dictionary of tensors");
}

TEST(LegacyPickles, BeginWithTheirMagicNumber) {
  const std::string magic = "\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  const std::string file = magic + "\x80\2M\xe9\3.\x80\2}." +
                           pickled_dict("a", tensor_ops(0, 3, 6)) + "\x80\2](" + text_op("0") +
                           "e.12345678";
  const LegacyStateDict dict = read_legacy_pickles(file);
  EXPECT_EQ(dict.tensors.size(), 1u);
  EXPECT_EQ(dict.storages, std::vector<std::string>{"0"});
  EXPECT_EQ(file.substr(dict.first_storage), "12345678");
  EXPECT_THROW(read_legacy_pickles("\x80\2N."), std::runtime_error);
}

}  // namespace
}  // namespace lapcast::workloads
