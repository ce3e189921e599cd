#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lapcast {

/// Describes one way to run a program that has its own speed and price: a kind of machine, or, on
/// one machine, a set of CPUs with a quota and an environment.
struct MachineType {
  std::string name;
  std::vector<int> cpus;            // CPUs it may use, ascending; empty = all that are allowed
  std::optional<double> cpu_quota;  // CPU time per wall time: 0.5 = half a CPU; none = no limit
  std::map<std::string, std::string> environment;  // added to the program's environment
  bool exclusive = false;                          // as the user says, nothing else runs on it
  friend bool operator==(const MachineType&, const MachineType&) = default;
};

/// Is the name of the machine type of this machine, if the user gives it no other.
inline constexpr const char* kThisMachine = "this-machine";

/// Returns whether two types are the same hardware, whatever their names: the same CPUs, quota and
/// environment. The caller compares their places.
bool same_hardware(const MachineType& a, const MachineType& b);

/// Parses "0-3,8" as {0,1,2,3,8}. Throws Error (bad input) that quotes the text.
std::vector<int> parse_cpu_list(const std::string& text);
/// Returns {0,1,2,3,8} as "0-3,8".
std::string format_cpu_list(const std::vector<int>& cpus);

}  // namespace lapcast
