#include "query/program_content.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <set>
#include <utility>

#include "core/hash.h"
#include "core/units.h"
#include "machine/proc_text.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "query/python_imports.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 4096;
constexpr std::int64_t kMostBytes = 2LL << 30;
constexpr std::size_t kMostScript = 4 << 20;
constexpr std::size_t kMostNamesInFolder = 20'000;
constexpr std::size_t kLongestPath = 4096;
constexpr std::string_view kElf = "\177ELF";  // the first bytes of an executable

bool has_extension(const fs::path& file, std::initializer_list<std::string_view> extensions) {
  return std::ranges::find(extensions, file.extension().string()) != extensions.end();
}

bool is_config(const fs::path& file) {
  return has_extension(file, {".yaml", ".yml", ".toml", ".ini", ".cfg"});
}

bool is_regular(const fs::path& file, struct stat& info) {
  return stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

class ContentReader {
 public:
  explicit ContentReader(fs::path working_dir) : working_dir_(std::move(working_dir)) {
    roots_.push_back(working_dir_);
  }

  void add_program(const std::vector<std::string>& arguments) {
    if (arguments.empty()) return;
    add_executable(arguments[0]);
    std::string line;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      consider(working_dir_ / arguments[i], true);  // as a whole, too: a name may contain blanks
      line += arguments[i] + '\n';
    }
    add_named(line, working_dir_, true);
    while (!to_scan_.empty()) {
      const fs::path script = to_scan_.front();
      to_scan_.pop_front();
      scan(script);
    }
  }
  ProgramContent take() { return std::move(content_); }

 private:
  void add_executable(const std::string& name) {
    if (name.find('/') != std::string::npos) {
      add(working_dir_ / name, true);
    } else if (const auto found = find_program(name)) {
      add(*found, false);
    }
  }

  void consider(const fs::path& file, bool is_command_line) {
    struct stat info {};
    if (!is_regular(file, info)) return;
    if (is_program_file(file))
      add(file, true);
    else if (is_command_line && is_config(file))
      add(file, false);
  }

  /// Adds the files that a command line or a script names. Words of a script need a dot or a slash
  /// to count.
  void add_named(const std::string& text, const fs::path& folder, bool is_command_line) {
    const NamedInText named = named_in(text);
    for (const std::string& word : named.words) {
      if (!is_command_line && word.find_first_of("./") == std::string::npos) continue;
      consider(folder / word, is_command_line);
    }
    for (const std::string& module : named.modules) add_import({0, module, {}}, working_dir_);
  }

  /// Adds a file once, even if several paths lead to it.
  void add(const fs::path& file, bool is_script) {
    struct stat info {};
    if (content_.size() >= kMostFiles || !is_regular(file, info)) return;
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    if (error || !seen_.insert(real).second) return;
    content_[name_of(file)] = hash_of(file, info);
    if (!is_script || info.st_size > static_cast<off_t>(kMostScript)) return;
    to_scan_.push_back(file);
  }

  std::string name_of(const fs::path& file) const {
    const fs::path plain = file.lexically_normal();
    const fs::path relative = plain.lexically_relative(working_dir_.lexically_normal());
    const bool inside = !relative.empty() && *relative.begin() != "..";
    return printable((inside ? relative : plain).native(), kLongestPath);
  }

  std::string hash_of(const fs::path& file, const struct stat& info) {
    const FileDescriptor content(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    read_ += info.st_size;
    if (!content.is_open() || read_ > kMostBytes)
      return fmt::format("{} bytes of {}", info.st_size, info.st_mtim.tv_sec);
    ContentHash hash;
    while (true) {
      std::string piece;
      read_available(content.get(), piece, 1 << 20);
      if (piece.empty()) return hash.hex();
      hash.add(piece);
    }
  }

  void scan(const fs::path& script) {
    const std::string text = text_of_file(script, kMostScript);
    if (text.starts_with(kElf)) return;
    const fs::path folder = script.parent_path();
    add_named(text, folder, false);
    if (folder != working_dir_) add_named(text, working_dir_, false);
    const std::string first_line = text.substr(0, text.find('\n'));
    if (script.extension() != ".py" && first_line.find("python") == std::string::npos) return;
    const bool is_known = std::find(roots_.begin(), roots_.end(), folder) != roots_.end();
    if (!is_known && !is_module_.contains(script)) roots_.push_back(folder);
    for (const PythonImport& import : python_imports(text)) add_import(import, folder);
  }

  void add_import(const PythonImport& import, const fs::path& folder) {
    if (import.level == 0) {
      const std::vector<fs::path> roots = roots_;
      for (const fs::path& root : roots) add_import_below(root, import);
      return;
    }
    fs::path package = folder;
    for (int up = 1; up < import.level; ++up) package = package.parent_path();
    add_import_below(package, import);
  }

  void add_import_below(const fs::path& root, const PythonImport& import) {
    fs::path at = root;
    if (!import.module.empty())
      for (const std::string_view part : split(import.module, '.')) {
        at /= part;
        if (!add_module(at)) return;
      }
    for (const std::string& name : import.names) add_module(at / name);
  }

  /// Returns false if there is neither a module nor a package of that name.
  bool add_module(const fs::path& module) {
    const std::string stem = module.filename().string() + ".";
    const std::set<std::string>& names = names_in(module.parent_path());
    bool found = names.contains(module.filename().string());  // a package has a folder
    for (auto at = names.lower_bound(stem); at != names.end() && at->starts_with(stem); ++at)
      if (*at == stem + "py" || at->ends_with(".so")) {
        add_python(module.parent_path() / *at);
        found = true;
      }
    if (found) add_python(module / "__init__.py");
    return found;
  }

  void add_python(const fs::path& file) {
    is_module_.insert(file);
    add(file, true);
  }

  const std::set<std::string>& names_in(const fs::path& folder) {
    const auto [entry, is_new] = names_.try_emplace(folder);
    std::error_code error;
    if (is_new)
      for (fs::directory_iterator it(folder, error), end;
           !error && it != end && entry->second.size() < kMostNamesInFolder; it.increment(error))
        entry->second.insert(it->path().filename().string());
    return entry->second;
  }

  fs::path working_dir_;
  std::vector<fs::path> roots_;  // folders for absolute imports
  std::map<fs::path, std::set<std::string>> names_;
  std::set<fs::path> seen_;
  std::set<fs::path> is_module_;  // found by an import: its folder is not on sys.path
  std::deque<fs::path> to_scan_;
  std::int64_t read_ = 0;
  ProgramContent content_;
};

}  // namespace

bool is_program_file(const fs::path& file) {
  if (has_extension(file,
                    {".py", ".sh", ".bash", ".R", ".r", ".jl", ".lua", ".pl", ".rb", ".js", ".m"}))
    return true;
  const std::string head = text_of_file(file, 4);
  return head.starts_with("#!") || head == kElf;
}

NamedInText named_in(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r\n\f\v;|&()'\"=<>`,[]{}";
  NamedInText named;
  std::set<std::string_view> known;
  bool behind_m = false;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_not_of(kBetween), text.size());
    const std::size_t size = std::min(text.find_first_of(kBetween, begin), text.size()) - begin;
    const std::string_view word = text.substr(begin, size);
    text.remove_prefix(begin + size);
    if (behind_m && !word.empty()) named.modules.emplace_back(word);
    behind_m = word == "-m";
    const bool may_be_file = word.size() <= kLongestPath &&
                             word.find_first_not_of("./") != std::string_view::npos &&
                             word.find('\0') == std::string_view::npos;
    if (may_be_file && known.insert(word).second) named.words.emplace_back(word);
  }
  return named;
}

ProgramContent program_content(const std::vector<RunContext>& candidates) {
  std::set<std::pair<std::string, std::vector<std::string>>> programs;
  for (const RunContext& context : candidates)
    programs.emplace(context.working_dir, filled_program(context));
  ProgramContent content;
  for (const auto& [working_dir, arguments] : programs) {
    ContentReader reader(working_dir);
    reader.add_program(arguments);
    content.merge(reader.take());
  }
  return content;
}

std::vector<std::string> changed_files(const ProgramContent& before, const ProgramContent& now) {
  std::vector<std::string> changed;
  for (const auto& [name, hash] : before)
    if (const auto same = now.find(name); same == now.end() || same->second != hash)
      changed.push_back(name);
  for (const auto& [name, hash] : now)
    if (!before.contains(name) && !is_config(name)) changed.push_back(name);
  std::sort(changed.begin(), changed.end());
  return changed;
}

}  // namespace lapcast
