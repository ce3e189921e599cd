#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast::workloads {

/// Parses the command line of a program: options such as `--batch 128` or `--batch=128`, flags and
/// --help. It uses getopt_long, so the suite builds with nothing but a compiler and LibTorch.
///
/// Each call declares an option and the variable that receives its value. The variable's present
/// value is the default, which --help shows unless it is 0 or empty. A value out of range is
/// refused with one line on stderr.
class CommandLine {
 public:
  /// `about` is one sentence. `examples` are whole lines for the end of --help and may be empty.
  CommandLine(std::string program, std::string about, std::string examples = "");

  /// Adds an option for a whole number in [low, high].
  void number(std::string name, int64_t& value, int64_t low, int64_t high, std::string help);
  /// Adds an option for a number of items, from 1 to 2^31 - 1.
  void count(std::string name, int64_t& value, std::string help);
  /// Adds an option for any number of 64 bits.
  void seed(std::string name, uint64_t& value, std::string help);
  /// Adds an option for a real number in [low, high].
  void real(std::string name, double& value, double low, double high, std::string help);
  void choice(std::string name, std::string& value, std::vector<std::string> choices,
              std::string help);
  void path(std::string name, std::filesystem::path& value, std::string type, std::string help);
  /// Adds an option for a text, which the caller checks.
  void text(std::string name, std::string& value, std::string type, std::string help);
  void flag(std::string name, bool& value, std::string help);

  /// Returns the exit status when the program must end at once: 0 after --help, 2 after an error,
  /// which is printed. Returns -1 when the program must continue.
  int parse(int argc, char** argv) const;

  /// Prints an error on stderr in the same form as parse(). Returns 2.
  int refuse(std::string_view error) const;

  std::string help() const;
  const std::string& program() const { return program_; }

 private:
  /// Stores a value. Returns what was expected when the value cannot be used.
  using Take = std::function<std::optional<std::string>(std::string_view)>;
  struct Option {
    std::string name;
    std::string type;  // empty for a flag
    std::string help;
    std::string shown_default;  // empty: none is shown
    Take take;
  };

  std::string program_;
  std::string about_;
  std::string examples_;
  std::vector<Option> options_;
};

}  // namespace lapcast::workloads
