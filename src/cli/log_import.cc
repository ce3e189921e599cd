#include "cli/log_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/gzip_file.h"
#include "import/dawnbench.h"
#include "import/keras_csv.h"
#include "import/mllog_reader.h"
#include "import/stopwatch_csv.h"
#include "import/tensorboard.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

using Take = std::function<void(const std::string& file, ImportedLog imported)>;

constexpr std::size_t kMostTextBytes = 64 << 20;  // of the formats that are read as a whole
constexpr const char* kCutOff = "the compressed data end too early or are damaged";

/// The last folder and the file's name: enough to know it by, nothing of this machine.
std::string source_of(const fs::path& file) {
  const std::string folder = file.parent_path().filename().string();
  return folder.empty() ? file.filename().string() : folder + "/" + file.filename().string();
}

std::string name_of(const std::string& file) {
  return file == "-" ? "stdin" : fs::path(file).filename().string();
}

/// For the formats that are read in memory that does not grow with the file.
template <class Reader>
void import_pieces(const std::vector<std::string>& files, const Take& take) {
  for (const std::string& file : files) {
    Reader reader;
    const bool complete = for_each_piece(file, [&](std::string_view piece) { reader.feed(piece); });
    ImportedLog imported = reader.finish(name_of(file));
    if (!complete) imported.problems.emplace_back(kCutOff);
    take(file, std::move(imported));
  }
}

using ImportText = ImportedLog (*)(std::string_view text, const std::string& source);

void import_texts(const std::vector<std::string>& files, ImportText import, const Take& take) {
  for (const std::string& file : files) {
    const WholeFile whole = read_whole(file, kMostTextBytes);
    ImportedLog imported = import(whole.text, name_of(file));
    if (!whole.complete) imported.problems.emplace_back(kCutOff);
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
    ImportedLog imported = import_dawnbench(json, tsv, source_of(stem));
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
  if (format == "mllog") return import_pieces<MllogReader>(files, take);
  if (format == "dawnbench") return import_dawnbench_files(files, take);
  if (format == "tensorboard") return import_pieces<TensorboardReader>(files, take);
  if (format == "keras-csv") return import_texts(files, import_keras_csv, take);
  if (format == "stopwatch") return import_texts(files, import_stopwatch_csv, take);
}

}  // namespace lapcast
