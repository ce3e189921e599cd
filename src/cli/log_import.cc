#include "cli/log_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/gzip_file.h"
#include "import/dawnbench.h"
#include "import/mllog_reader.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

using Take = std::function<void(const std::string& file, Imported imported)>;

constexpr std::size_t kMostTextBytes = 64 << 20;  // of the formats that are read as a whole
constexpr const char* kCutOff = "the compressed data end too early or are damaged";

/// The last folder and the file's name: enough to know it by, nothing of this machine.
std::string source_of(const fs::path& file) {
  const std::string folder = file.parent_path().filename().string();
  return folder.empty() ? file.filename().string() : folder + "/" + file.filename().string();
}

void import_mllog(const std::vector<std::string>& files, const Take& take) {
  for (const std::string& file : files) {
    MllogReader reader;
    const bool complete = for_each_piece(file, [&](std::string_view piece) { reader.feed(piece); });
    Imported imported = reader.finish(file == "-" ? "stdin" : fs::path(file).filename().string());
    if (!complete) imported.problems.emplace_back(kCutOff);
    take(file, std::move(imported));
  }
}

std::string text_of(const fs::path& file, std::vector<std::string>& problems) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return "";
  WholeFile whole = read_whole(file.string(), kMostTextBytes);
  if (!whole.complete) problems.emplace_back(kCutOff);
  return std::move(whole.text);
}

/// Each entry once, whichever of its two files are named.
void import_dawnbench_files(const std::vector<std::string>& files, const Take& take) {
  std::set<fs::path> known;
  for (const std::string& file : files) {
    const fs::path stem = fs::path(file).replace_extension();
    std::error_code ignored;
    if (!fs::exists(file, ignored)) for_each_piece(file, [](std::string_view) {});  // says why
    if (!known.insert(stem).second) continue;
    std::vector<std::string> problems;
    const std::string json = text_of(fs::path(stem) += ".json", problems);
    const std::string tsv = text_of(fs::path(stem) += ".tsv", problems);
    Imported imported = import_dawnbench(json, tsv, source_of(stem));
    imported.problems.insert(imported.problems.begin(), problems.begin(), problems.end());
    take(file, std::move(imported));
  }
}

}  // namespace

bool is_log_format(std::string_view name) {
  return std::any_of(std::begin(kLogFormats), std::end(kLogFormats),
                     [&](const LogFormat& format) { return format.name == name; });
}

void import_logs(std::string_view format, const std::vector<std::string>& files, const Take& take) {
  if (format == "mllog") return import_mllog(files, take);
  if (format == "dawnbench") return import_dawnbench_files(files, take);
}

}  // namespace lapcast
