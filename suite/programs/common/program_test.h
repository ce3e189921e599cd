#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

/// Helps to test the programs of the suite as a user runs them.
namespace lapcast::workloads {

struct Outcome {
  int status;
  std::string text;  // stdout and stderr
};

inline Outcome run(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  Outcome outcome{-1, ""};
  std::array<char, 4096> buffer;
  while (size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.text.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

/// Returns the lines of the epochs without their seconds.
inline std::string epochs_of(const std::string& text) {
  std::string lines;
  const std::regex line("(epoch [^\n]*)  [0-9.]+ s\n");
  for (std::sregex_iterator i(text.begin(), text.end(), line), end; i != end; ++i) {
    lines += i->str(1) + "\n";
  }
  return lines;
}

/// Returns the first lap log in a folder, or "" when there is none.
inline std::string lap_log_in(const std::filesystem::path& folder) {
  std::filesystem::directory_iterator file(folder);
  if (file == std::filesystem::directory_iterator()) return "";
  std::ifstream in(file->path());
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Expects that the program ended with this status and one line that contains `part`.
inline void expect_refusal(const Outcome& outcome, int status, const std::string& part) {
  EXPECT_EQ(outcome.status, status) << outcome.text;
  EXPECT_NE(outcome.text.find(part), std::string::npos) << outcome.text;
  EXPECT_EQ(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 1) << outcome.text;
}

/// Holds a folder, with a small data set, that the tests of one program share.
class ProgramTest : public testing::Test {
 public:
  static void TearDownTestSuite() { std::filesystem::remove_all(folder()); }

 protected:
  static std::filesystem::path folder() {
    return std::filesystem::temp_directory_path() / ("program_test." + std::to_string(getpid()));
  }
  static std::string data() { return (folder() / "data").string(); }

  /// Runs "MAKER --out data()" with the arguments.
  static void make_data(const std::string& maker, const std::string& arguments) {
    const Outcome made = run(maker + " --out " + data() + " " + arguments);
    ASSERT_EQ(made.status, 0) << made.text;
  }

  /// Runs the program on data() with one thread.
  static Outcome train_with(const std::string& program, const std::string& arguments) {
    return run(program + " --threads 1 --data " + data() + " " + arguments);
  }
};

}  // namespace lapcast::workloads
