#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>

#include "core/error.h"

namespace lapcast {

inline std::filesystem::path source_folder() {
  return LAPCAST_SOURCE_DIR;
}

/// Has a folder of its own for each test, which is removed after it.
class InTestFolder : public testing::Test {
 protected:
  InTestFolder() {
    std::string name = std::filesystem::temp_directory_path() / "lapcast-store-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~InTestFolder() override { std::filesystem::remove_all(folder_); }
  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path file() const { return folder_ / "s.db"; }

 private:
  std::filesystem::path folder_;
};

/// Returns the message of the Error that work throws, which must have that code and be one line.
inline std::string error_of(const std::function<void()>& work,
                            ExitCode code = ExitCode::store_failed) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "no error";
}

/// Returns what work returns in a process of its own, or what it throws.
inline std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    std::string text;
    try {
      text = work();
    } catch (const std::exception& error) {
      text = error.what();
    }
    const bool written = ::write(ends[1], text.data(), text.size()) >= 0;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

}  // namespace lapcast
