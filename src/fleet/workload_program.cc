#include "fleet/workload_program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "core/units.h"
#include "posix/program_file.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders() {
  const char* given = std::getenv("LAPCAST_SUITE_DIR");
  if (given != nullptr && *given != '\0') return {fs::absolute(given)};
  const fs::path beside = own_binary().parent_path();
  return {beside, beside / "workloads"};
}

}  // namespace

Result<fs::path> find_workload_program(const std::string& name) {
  std::string looked_in;
  for (const fs::path& folder : folders()) {
    for (const fs::path& file : {folder / name, folder / name / name})
      if (const auto found = find_program(file.string())) return *found;
    looked_in += (looked_in.empty() ? "" : " and ") + printable(folder.string());
  }
  return because(fmt::format("there is no program {} in {}", name, looked_in));
}

std::string how_to_build_workloads() {
  return "to build the programs: cmake -S workloads -B build-workloads -G Ninja "
         "-DCMAKE_PREFIX_PATH=\"$(python3 -c 'import torch; "
         "print(torch.utils.cmake_prefix_path)')\" && ninja -C build-workloads, then export "
         "LAPCAST_SUITE_DIR=build-workloads (docs/suite.md)";
}

}  // namespace lapcast
