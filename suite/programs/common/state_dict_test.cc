#include "common/state_dict.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

/// Has the names and shapes of a normalisation and a dense layer.
struct SmallNetwork : torch::nn::Module {
  at::Tensor weight = register_parameter("weight", at::zeros({2, 3}));
  at::Tensor mean = register_buffer("mean", at::zeros({2}));
};

NamedTensors fitting() {
  return {{"weight", at::arange(6, at::kHalf).reshape({3, 2}).t()},
          {"mean", at::tensor({1.0f, 2.0f})},
          {"num_batches_tracked", at::zeros({}, at::kLong)}};
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StateDict, FillsANetworkOfTheSameNamesAndShapes) {
  SmallNetwork network;
  load_state_dict(network, fitting(), "w.pt");
  EXPECT_TRUE(at::equal(network.weight, at::tensor({0.f, 2.f, 4.f, 1.f, 3.f, 5.f}).view({2, 3})));
  EXPECT_TRUE(at::equal(network.mean, at::tensor({1.0f, 2.0f})));
}

TEST(StateDict, NamesWhatDoesNotFitAndCopiesNothing) {
  SmallNetwork network;
  NamedTensors tensors = fitting();
  tensors.erase("mean");
  tensors["weight"] = at::ones({3, 2});
  tensors["fc.bias"] = at::ones({});
  EXPECT_EQ(refusal([&] { load_state_dict(network, tensors, "w.pt"); }),
            "w.pt: does not fit the network; missing: mean; unknown: fc.bias; of another shape: "
            "weight (3x2 instead of 2x3)");
  EXPECT_EQ(network.weight.sum().item<float>(), 0);
  tensors = fitting();
  tensors["fc.bias"] = at::ones({});
  EXPECT_EQ(refusal([&] { load_state_dict(network, tensors, "w.pt", {"fc."}); }), "accepted");
}

class StateDictFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::temp_directory_path() / ("state_dict_test." + std::to_string(getpid()));
  fs::path file_ = folder_ / "weights.pt";
};

TEST_F(StateDictFile, ComesBack) {
  write_tensors(file_, fitting());
  const NamedTensors tensors = read_state_dict(file_);
  ASSERT_EQ(tensors.size(), 3u);
  for (const auto& [name, tensor] : fitting()) {
    EXPECT_TRUE(at::equal(tensors.at(name), tensor)) << name;
  }
}

TEST_F(StateDictFile, EveryCutIsRefusedInOneLine) {
  write_tensors(file_, fitting());
  for (uintmax_t size = fs::file_size(file_); size > 0; size = size * 3 / 4) {
    fs::resize_file(file_, size - 1);
    EXPECT_TRUE(refusal([&] { read_state_dict(file_); }).starts_with(file_.string() + ": "));
  }
  EXPECT_EQ(refusal([&] { read_state_dict(folder_ / "none.pt"); }),
            (folder_ / "none.pt").string() + ": cannot be opened");
  std::ofstream(file_) << "hello";
  EXPECT_EQ(refusal([&] { read_state_dict(file_); }),
            file_.string() + ": is not a file of torch.save()");
}

/// Writes the format before PyTorch 1.6 by hand: a dict {"a": [1, 2]}.
TEST_F(StateDictFile, ReadsTheFormatBeforePytorch16) {
  std::string file("\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\2M\xe9\3.\x80\2}.");
  file += "\x80\2}X";
  file.append("\1\0\0\0a", 5);
  file +=
      "ctorch._utils\n_rebuild_tensor_v2\n((U\7storagectorch\nFloatStorage\nU\1"
      "7U\3cpuK\2tQ";
  file.append("K\0K\2\x85K\1\x85\x89NtRs.", 14);
  file +=
      "\x80\2](U\1"
      "7e.";
  file.append("\2\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\x40", 16);
  std::ofstream(file_, std::ios::binary) << file;
  EXPECT_TRUE(at::equal(read_state_dict(file_).at("a"), at::tensor({1.0f, 2.0f})));
  fs::resize_file(file_, file.size() - 1);
  EXPECT_EQ(refusal([&] { read_state_dict(file_); }), file_.string() + ": ends within a storage");
}

}  // namespace
}  // namespace lapcast::workloads
