#include "probe/program_launch.h"

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "probe/hook_folder.h"

namespace lapcast {
namespace {

void replace_run_dir(std::string& text, const std::string& run_dir) {
  constexpr std::string_view kPlaceholder = "{run_dir}";
  for (std::size_t at = 0; (at = text.find(kPlaceholder, at)) != std::string::npos;) {
    text.replace(at, kPlaceholder.size(), run_dir);
    at += run_dir.size();
  }
}

/// Returns the PYTHONPATH of the machine type, else that of this process.
std::string python_path_of(const std::map<std::string, std::string>& environment) {
  const auto own = environment.find("PYTHONPATH");
  if (own != environment.end()) return own->second;
  const char* inherited = std::getenv("PYTHONPATH");
  return inherited == nullptr ? "" : inherited;
}

}  // namespace

SpawnSpec launch_spec(const RunContext& context, const RunFolder& folder,
                      const std::filesystem::path& hook_folder) {
  SpawnSpec spec;
  const std::string run_dir = folder.run_dir().string();
  spec.arguments = filled_program(context);
  for (std::string& argument : spec.arguments) replace_run_dir(argument, run_dir);
  spec.environment = context.machine_type.environment;
  for (auto& [name, value] : spec.environment) replace_run_dir(value, run_dir);
  if (!hook_folder.empty())
    spec.environment["PYTHONPATH"] =
        before_python_path(hook_folder, python_path_of(spec.environment));
  spec.environment["LAPCAST_LOG_DIR"] = folder.lap_dir().string();
  spec.environment["LAPCAST_RUN_DIR"] = run_dir;
  spec.cpus = context.machine_type.cpus;
  return spec;
}

}  // namespace lapcast
