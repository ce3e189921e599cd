#include "campaign/tune_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "machine/allocators.h"
#include "machine/proc_text.h"

namespace lapcast {
namespace {

const std::array<std::string, 5> kKept{"threads", "malloc", "wait", "isa", "workers"};
const std::array<std::string, 3> kChanged{"precision", "layout", "compile"};

/// Returns how many threads a program can use at most: its CPUs, or the quota rounded up.
int threads_of(const TunedProgram& program) {
  const MachineDescription& machine = program.machine;
  const auto& cpus = program.type.cpus.empty() ? machine.allowed_cpus : program.type.cpus;
  double most = cpus.empty() ? machine.threads : static_cast<double>(cpus.size());
  for (const auto& limit : {program.type.cpu_quota, machine.cpu_limit})
    if (limit) most = std::min(most, std::ceil(*limit));
  return std::max(1, static_cast<int>(most));
}

/// Returns the numbers of threads to try: one for each core, half of all, one, and all if the
/// program is given another number.
std::vector<TuneSetting> threads(const TunedProgram& program) {
  const int all = threads_of(program);
  std::set<int, std::greater<>> counts{std::max(1, all / 2), 1};
  if (program.machine.threads > 0 && program.machine.cores > 0)
    counts.insert(std::max(1, all * program.machine.cores / program.machine.threads));
  counts.erase(all);
  if (program.variable("OMP_NUM_THREADS")) counts.insert(all);
  std::vector<TuneSetting> settings;
  for (const int count : counts) {
    const std::string text = std::to_string(count);
    settings.push_back({"threads", text, {{"OMP_NUM_THREADS", text}, {"MKL_NUM_THREADS", text}}});
  }
  return settings;
}

/// Returns the list in a variable with one more entry at its front.
std::string before(const std::string& entry, const std::optional<std::string>& list) {
  return list && !list->empty() ? entry + ":" + *list : entry;
}

/// Returns the path of an allocator on a machine; empty where it has none. Other paths that a
/// machine names are ignored: what it says must not choose what a program loads.
std::string path_of(const KnownAllocator& known, const MachineDescription& machine) {
  if (!machine.allocators) return "";
  for (const char* folder : kLibraryFolders) {
    const std::string path = std::string(folder) + "/" + known.file;
    if (std::ranges::find(*machine.allocators, path) != machine.allocators->end()) return path;
  }
  return "";
}

/// Returns glibc's malloc that gives nothing back to the system, without and with huge pages, and
/// the installed allocators.
std::vector<TuneSetting> allocators(const TunedProgram& program) {
  const std::map<std::string, std::string> keep{{"MALLOC_MMAP_MAX_", "0"},
                                                {"MALLOC_TRIM_THRESHOLD_", "4000000000"},
                                                {"MALLOC_TOP_PAD_", "67108864"}};
  auto huge = keep;
  huge["GLIBC_TUNABLES"] = before("glibc.malloc.hugetlb=1", program.variable("GLIBC_TUNABLES"));
  std::vector<TuneSetting> settings{{"malloc", "keep", keep}, {"malloc", "keep-huge", huge}};
  for (const KnownAllocator& known : kAllocators) {
    const std::string path = path_of(known, program.machine);
    if (path.empty() || settings.back().value == known.name) continue;
    settings.push_back(
        {"malloc", known.name, {{"LD_PRELOAD", before(path, program.variable("LD_PRELOAD"))}}});
  }
  return settings;
}

std::vector<TuneSetting> waiting(const TunedProgram& program) {
  if (threads_of(program) < 2) return {};
  return {{"wait", "passive", {{"OMP_WAIT_POLICY", "PASSIVE"}, {"KMP_BLOCKTIME", "0"}}},
          {"wait", "active", {{"OMP_WAIT_POLICY", "ACTIVE"}, {"KMP_BLOCKTIME", "infinite"}}}};
}

/// Returns the setting of narrower vectors if the widest ones of the CPU may lower its clock
/// frequency.
std::vector<TuneSetting> isa_caps(const TunedProgram& program) {
  if (program.machine.isa != "AVX-512") return {};
  return {{"isa", "avx2", {{"ONEDNN_MAX_CPU_ISA", "AVX2"}, {"ATEN_CPU_CAPABILITY", "avx2"}}}};
}

TuneSetting by_hook(const char* name, const std::string& value, const std::string& word,
                    std::string in_program, bool changes_results = true) {
  return {name, value, {{kHookVariable, word}}, changes_results, std::move(in_program)};
}

std::vector<TuneSetting> workers(const TunedProgram& program) {
  const std::string count = std::to_string(std::clamp(threads_of(program), 1, 8));
  return {by_hook("workers", count, "workers=" + count,
                  fmt::format("DataLoader(..., num_workers={})", count), false)};
}

std::vector<TuneSetting> precisions(const TunedProgram& program) {
  const bool has_gpu = !program.machine.accelerators.empty();
  std::vector<TuneSetting> settings{
      by_hook("precision", "bf16", "bf16",
              fmt::format("with torch.autocast('{}', torch.bfloat16): output = model(input)",
                          has_gpu ? "cuda" : "cpu"))};
  if (has_gpu)
    settings.push_back(by_hook("precision", "tf32", "tf32",
                               "torch.set_float32_matmul_precision('high'); "
                               "torch.backends.cudnn.allow_tf32 = True"));
  return settings;
}

std::vector<TuneSetting> of_name(const std::string& name, const TunedProgram& program) {
  if (name == "threads") return threads(program);
  if (name == "malloc") return allocators(program);
  if (name == "wait") return waiting(program);
  if (name == "isa") return isa_caps(program);
  if (!program.has_hook) return {};
  if (name == "workers") return workers(program);
  if (name == "precision") return precisions(program);
  if (name == "layout")
    return {by_hook("layout", "channels-last", "channels-last",
                    "model = model.to(memory_format=torch.channels_last)")};
  return {by_hook("compile", "on", "compile", "model.compile()")};
}

/// Returns whether the program already has all variables of a setting.
bool is_default(const TuneSetting& setting, const TunedProgram& program) {
  return std::ranges::all_of(setting.environment, [&](const auto& entry) {
    return program.variable(entry.first) == entry.second;
  });
}

bool is_variable_name(std::string_view text) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && (text[0] < '0' || text[0] > '9') && std::ranges::all_of(text, is_good);
}

}  // namespace

std::span<const std::string> kept_result_settings() {
  return kKept;
}
std::span<const std::string> changed_result_settings() {
  return kChanged;
}

std::vector<TuneSetting> tune_settings(std::span<const std::string> names,
                                       const TunedProgram& program) {
  std::vector<TuneSetting> settings;
  for (const std::string& name : names) {
    if (std::ranges::find(kKept, name) == kKept.end() &&
        std::ranges::find(kChanged, name) == kChanged.end())
      throw Error(ExitCode::usage,
                  fmt::format("--tune: '{}' is not a setting; these are: {}, {}, all",
                              printable(name), fmt::join(kKept, ", "), fmt::join(kChanged, ", ")));
    for (TuneSetting& setting : of_name(name, program))
      if (!is_default(setting, program)) settings.push_back(std::move(setting));
  }
  return settings;
}

std::vector<TuneSetting> tried_variable(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos || !is_variable_name(name) || name.starts_with("LAPCAST_"))
    throw Error(ExitCode::usage,
                fmt::format("--try: '{}' is not NAME=VALUE,VALUE with the name of a variable of "
                            "the program, such as OMP_PROC_BIND=close,spread",
                            printable(text)));
  std::vector<TuneSetting> settings;
  for (const std::string_view value : split(std::string_view(text).substr(equals + 1), ',')) {
    TuneSetting setting{name, std::string(value), {{name, std::string(value)}}};
    if (value.empty() || std::ranges::find(settings, setting) != settings.end())
      throw Error(ExitCode::usage,
                  fmt::format("--try: '{}' has an empty or a repeated value", printable(text)));
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace lapcast
