#include "probe/compiler_folders.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "lap/lap_log_writer.h"
#include "posix/files.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostFiles = 20'000;  // takes about 20 ms

/// Says where a compiler keeps its cache: in the folder that its variable names, else below the
/// home folder. An empty `of_home` means that it has no cache without the variable.
struct KnownCompiler {
  const char* compiler;
  const char* variable;
  const char* of_home;  // below the home folder
};

constexpr KnownCompiler kCompilers[] = {
    {"Triton", "TRITON_CACHE_DIR", ".triton/cache"},
    {"CUDA", "CUDA_CACHE_PATH", ".nv/ComputeCache"},
    {"XLA", "JAX_COMPILATION_CACHE_DIR", ""},
    {"PyTorch", "TORCH_EXTENSIONS_DIR", ".cache/torch_extensions"},
    {"MIOpen", "MIOPEN_CUSTOM_CACHE_DIR", ".cache/miopen"},
    {"NEO", "NEO_CACHE_DIR", ".cache/neo_compiler_cache"}};

std::string first_set(const VariableOf& variable, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string value = variable(name); !value.empty()) return value;
  return {};
}

std::string temporary_folder(const VariableOf& variable) {
  const std::string folder = first_set(variable, {"TMPDIR", "TEMP", "TMP"});
  return folder.empty() ? "/tmp" : folder;
}

/// Returns the default folder of PyTorch's inductor, whose name contains the user's.
fs::path inductor_folder(const VariableOf& variable) {
  std::string user = first_set(variable, {"LOGNAME", "USER", "LNAME", "USERNAME"});
  if (user.empty()) user = geteuid() == 0 ? "root" : std::to_string(geteuid());
  return fs::path(temporary_folder(variable)) / ("torchinductor_" + user);
}

/// Returns the number of files below a folder; 0 if it does not exist, -1 if there are too many.
std::int64_t files_below(const fs::path& folder) {
  std::error_code error;
  std::int64_t files = 0;
  auto entry = fs::recursive_directory_iterator(
      folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (!entry->is_directory(gone) && ++files > kMostFiles) return -1;
  }
  return files;
}

}  // namespace

VariableOf variables_with(std::map<std::string, std::string> on_top) {
  return [on_top = std::move(on_top)](const std::string& name) -> std::string {
    if (const auto found = on_top.find(name); found != on_top.end()) return found->second;
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? "" : value;
  };
}

std::vector<CompilerFolder> compiler_folders(const VariableOf& variable) {
  const std::string inductor = variable("TORCHINDUCTOR_CACHE_DIR");
  std::vector<CompilerFolder> folders{
      {"inductor", inductor.empty() ? inductor_folder(variable) : fs::path(inductor)}};
  const std::string home = variable("HOME");
  for (const KnownCompiler& known : kCompilers) {
    const std::string value = variable(known.variable);
    if (!value.empty()) {
      if (value.find("://") == value.npos) folders.push_back({known.compiler, value});
    } else if (*known.of_home != '\0' && !home.empty()) {
      folders.push_back({known.compiler, fs::path(home) / known.of_home});
    }
  }
  return folders;
}

std::vector<std::string> compiler_prefixes(const VariableOf& variable) {
  std::vector<std::string> prefixes;
  for (const CompilerFolder& each : compiler_folders(variable))
    prefixes.push_back((fs::absolute(each.folder) / "").string());
  const fs::path temporary = temporary_folder(variable);
  // nvcc and MPI, which PyTorch's distributed part loads, write such files.
  for (const char* name : {"torchinductor_", "tmpxft_", "ompi."})
    prefixes.push_back((temporary / name).string());
  return prefixes;
}

bool is_temporary_of_python(const fs::path& file) {
  constexpr std::size_t kRandom = 8;
  const std::string name = file.stem().string();
  const auto is_random = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return name.starts_with("tmp") && name.size() == 3 + kRandom &&
         std::all_of(name.begin() + 3, name.end(), is_random) &&
         file.parent_path() == fs::path(temporary_folder(variables_with({})));
}

CompilerFolders::CompilerFolders(std::vector<CompilerFolder> folders)
    : folders_(std::move(folders)) {
  for (const CompilerFolder& each : folders_) before_.push_back(files_below(each.folder));
}

std::vector<CompileCache> CompilerFolders::look_again() const {
  std::vector<CompileCache> caches;
  for (std::size_t i = 0; i < folders_.size(); ++i) {
    const std::int64_t now = before_[i] < 0 ? -1 : files_below(folders_[i].folder);
    if (now > 0 || (now == 0 && before_[i] > 0))
      caches.push_back(
          {folders_[i].compiler, before_[i], std::max<std::int64_t>(0, now - before_[i])});
  }
  return caches;
}

void write_compile_caches(const std::vector<CompileCache>& caches, const Run& run,
                          const fs::path& lap_folder) {
  if (caches.empty()) return;
  Hello hello{.clock_ns = run.started_ns, .pid = getpid(), .emitter = "lapcast-caches/1"};
  hello.wall_seconds =
      from_ns(clock_ns(CLOCK_REALTIME) - (monotonic_ns() - run.started_ns)).count();
  hello.host = run.context.machine.host;
  std::string text = lap_log_opening(hello);
  for (const CompileCache& cache : caches) text += compile_cache_line(cache);
  const fs::path file = lap_folder / "laps.caches.log";
  const FileDescriptor log(
      open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (log.is_open()) static_cast<void>(write_all(log.get(), text));
}

}  // namespace lapcast
