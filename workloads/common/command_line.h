#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast::workloads {

/// The command line of a program: options such as `--batch 128` or `--batch=128`, flags, --help.
/// Over getopt_long, so that the suite builds where there is nothing but a compiler and LibTorch.
///
/// Each call names an option and where its value goes; what stands there is its default, which
/// --help shows unless it is 0 or empty. A value out of range is refused with one line on stderr.
class CommandLine {
 public:
  /// about: one sentence. examples: whole lines for the end of --help; may be empty.
  CommandLine(std::string program, std::string about, std::string examples = "");

  /// A whole number in [low, high].
  void number(std::string name, int64_t& value, int64_t low, int64_t high, std::string help);
  /// The same from 1 to 2^31 - 1: how many there are of something.
  void count(std::string name, int64_t& value, std::string help);
  /// Any number of 64 bits.
  void seed(std::string name, uint64_t& value, std::string help);
  /// A real number in [low, high].
  void real(std::string name, double& value, double low, double high, std::string help);
  void choice(std::string name, std::string& value, std::vector<std::string> choices,
              std::string help);
  void path(std::string name, std::filesystem::path& value, std::string type, std::string help);
  void flag(std::string name, bool& value, std::string help);

  /// The exit status when the program shall end at once: 0 after --help, 2 after an error, which
  /// is printed. -1 to go on.
  int parse(int argc, char** argv) const;

  /// Prints an error on stderr in the way of parse(); 2.
  int refuse(std::string_view error) const;

  std::string help() const;
  const std::string& program() const { return program_; }

 private:
  /// Takes a value; what it should have been when it cannot be used.
  using Take = std::function<std::optional<std::string>(std::string_view)>;
  struct Option {
    std::string name;
    std::string type;  // empty: a flag
    std::string help;
    std::string shown_default;  // empty: none shown
    Take take;
  };

  std::string program_;
  std::string about_;
  std::string examples_;
  std::vector<Option> options_;
};

}  // namespace lapcast::workloads
