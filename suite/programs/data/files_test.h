#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace lapcast::workloads {

/// Gives each test of a file reader or writer its own folder.
class FilesTest : public testing::Test {
 protected:
  using Bytes = std::vector<uint8_t>;

  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const Bytes& bytes) {
    return write_text(name, std::string(bytes.begin(), bytes.end()));
  }
  std::filesystem::path write_text(const std::string& name, const std::string& text = "") {
    const std::filesystem::path file = folder_ / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  static Bytes read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static std::string read_text(const std::filesystem::path& file) {
    const Bytes bytes = read(file);
    return {bytes.begin(), bytes.end()};
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("files_test." + std::to_string(getpid()));
};

}  // namespace lapcast::workloads
