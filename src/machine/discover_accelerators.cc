#include "machine/discover_accelerators.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "machine/accelerator_text.h"
#include "machine/proc_text.h"
#include "machine/system_command.h"
#include "machine/system_file.h"

namespace lapcast {
namespace {

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

bool has_nvidia_driver(const std::string& root) {
  return exists(root + "/proc/driver/nvidia/version") || exists(root + "/dev/nvidiactl") ||
         exists(root + "/dev/dxg");  // the last: GPUs of Windows in its Linux subsystem
}

std::vector<Accelerator> nvidia_by_files(const std::string& root) {
  const std::string driver = parse_nvidia_version(
      read_system_file(root + "/proc/driver/nvidia/version", 4096).value_or(""));
  std::vector<Accelerator> found;
  const std::string folder = root + "/proc/driver/nvidia/gpus/";
  for (const std::string& bus : list_system_directory(folder)) {
    const std::string model =
        parse_nvidia_model(read_system_file(folder + bus + "/information", 4096).value_or(""));
    found.push_back({"nvidia", model, driver, 0, nvidia_cores(model)});
  }
  return found;
}

std::vector<Accelerator> find_nvidia(const std::string& root, std::vector<std::string>& missing) {
  if (!has_nvidia_driver(root)) return {};
  const auto output = output_of(
      {"nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"},
      std::chrono::seconds{10});
  if (output) return parse_nvidia_smi(*output);
  missing.push_back("memory of NVIDIA GPUs: " + output.error().text);
  return nvidia_by_files(root);
}

bool is_card(const std::string& name) {  // "card0", not its outputs such as "card0-HDMI-A-1"
  return name.starts_with("card") && parse_integer(name.substr(4)).has_value();
}

std::vector<Accelerator> find_amd(const std::string& root) {
  std::vector<Accelerator> found;
  const std::string folder = root + "/sys/class/drm/";
  for (const std::string& name : list_system_directory(folder)) {
    const std::string device = folder + name + "/device";
    if (!is_card(name) || read_system_line(device + "/vendor") != "0x1002") continue;
    const auto memory = parse_integer(read_system_line(device + "/mem_info_vram_total"));
    if (!memory) continue;  // not driven by amdgpu
    std::string model = read_system_line(device + "/product_name");
    if (model.empty()) model = "AMD GPU, PCI device " + read_system_line(device + "/device");
    found.push_back({"amd", model, read_system_line(root + "/sys/module/amdgpu/version"), *memory});
  }
  return found;
}

}  // namespace

std::vector<Accelerator> find_accelerators(const std::string& root,
                                           std::vector<std::string>& missing) {
  std::vector<Accelerator> found = find_nvidia(root, missing);
  std::ranges::move(find_amd(root), std::back_inserter(found));
  return found;
}

}  // namespace lapcast
