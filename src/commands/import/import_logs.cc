#include "commands/import/import_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "formats/format_list.h"
#include "posix/gzip_file.h"
#include "probe/ids_and_time.h"
#include "run/repair.h"
#include "run/run_json.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

using Take = std::function<void(const std::string& file, ImportedLog log)>;

constexpr std::size_t kMostTextBytes = 64 << 20;   // of a log that is read as a whole
constexpr std::size_t kMostLineBytes = 512 << 20;  // of a run with its laps
constexpr const char* kCutOff = "the compressed data end too early or are damaged";

/// Returns the last folder and the file name: enough to recognize a log, and nothing about this
/// machine.
std::string source_of(const fs::path& file) {
  const std::string folder = file.parent_path().filename().string();
  return folder.empty() ? file.filename().string() : folder + "/" + file.filename().string();
}

std::string name_of(const std::string& file) {
  return file == "-" ? "stdin" : fs::path(file).filename().string();
}

ImportedLog read_log(const BeginLog& begin, const std::string& file) {
  const auto reader = begin();
  const bool complete = for_each_piece(file, [&](std::string_view piece) { reader->feed(piece); });
  ImportedLog imported = reader->finish(name_of(file));
  if (!complete) imported.problems.emplace_back(kCutOff);
  return imported;
}

ImportedLog read_log(const ReadLog& read, const std::string& file) {
  const WholeFile whole = read_whole(file, kMostTextBytes);
  ImportedLog imported = read(whole.text, name_of(file));
  if (!whole.complete) imported.problems.emplace_back(kCutOff);
  return imported;
}

std::string text_of(const fs::path& file, std::vector<std::string>& problems) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return "";
  WholeFile whole = read_whole(file.string(), kMostTextBytes);
  if (!whole.complete) problems.emplace_back(kCutOff);
  return std::move(whole.text);
}

/// Reads the log that a file belongs to.
ImportedLog read_log(const LogOfTwoFiles& format, const std::string& file) {
  const fs::path stem = fs::path(file).replace_extension();
  std::vector<std::string> problems;
  const std::string first = text_of(fs::path(stem) += format.first, problems);
  const std::string second = text_of(fs::path(stem) += format.second, problems);
  ImportedLog imported = format.read(first, second, source_of(stem));
  imported.problems.insert(imported.problems.begin(), problems.begin(), problems.end());
  return imported;
}

/// Reads logs one after the other; a log of two files once, whichever of them are named.
void read_logs(const FileFormat& format, const std::vector<std::string>& files, const Take& take) {
  std::set<fs::path> known;
  for (const std::string& file : files) {
    if (const auto* pieces = std::get_if<BeginLog>(&format.use))
      take(file, read_log(*pieces, file));
    if (const auto* text = std::get_if<ReadLog>(&format.use)) take(file, read_log(*text, file));
    if (const auto* two = std::get_if<LogOfTwoFiles>(&format.use)) {
      std::error_code ignored;
      if (!fs::exists(file, ignored)) for_each_piece(file, [](std::string_view) {});  // throws why
      if (known.insert(fs::path(file).replace_extension()).second) take(file, read_log(*two, file));
    }
  }
}

// JSON lines of runs ------------------------------------------------------------------------------

/// Returns the run in a line of a file, ready to be stored, or the reason why there is none.
Result<Run> imported_run(const std::string& line, const std::set<std::string>& under_way) {
  Result<Run> run = run_from_json_line(line);
  if (!run) return run;
  run->context.imported = true;
  if (const auto odd = repair(*run, today()); !odd.empty()) return because(odd.front());
  if (run->context.program.empty()) return because("program is empty");
  if (under_way.contains(run->context.id))
    return because("its id is that of a run that is under way on another machine");
  return run;
}

/// Stores the runs of files, counts them and calls the listener.
struct Importer {
  void add(const std::string& file, const Run& run) {
    const bool is_new = store.add(run);
    ++(is_new ? counts.imported : counts.known);
    if (listener.on_run) listener.on_run(file, run, is_new);
  }

  void refuse(const std::string& where, const std::string& what) {
    ++counts.refused;
    if (listener.on_problem) listener.on_problem(where, what);
  }

  void add_lines(std::istream& in, const std::string& name) {
    std::set<std::string> under_way;
    for (const PendingRun& pending : store.pending_runs()) under_way.insert(pending.id);
    std::size_t number = 0;
    for (BoundedLine line; read_line(in, kMostLineBytes, line);) {
      ++number;
      if (line.text.empty()) continue;
      const Result<Run> run =
          line.was_cut
              ? because(fmt::format("the line is longer than {}", format_bytes(kMostLineBytes)))
              : imported_run(line.text, under_way);
      if (run)
        add(name, *run);
      else
        refuse(fmt::format("{}:{}", name, number), run.error().text);
    }
    if (in.bad())
      throw Error(ExitCode::bad_input, fmt::format("cannot read {} to its end", printable(name)));
  }

  Store& store;
  const ImportListener& listener;
  ImportCounts counts = {};
};

}  // namespace

void check_run_files(const std::vector<std::string>& files) {
  for (const std::string& file : files)
    if (file != "-" && !std::ifstream(file))
      throw Error(ExitCode::bad_input, fmt::format("cannot read {}", printable(file)));
}

ImportCounts import_run_files(const std::vector<std::string>& files, Store& store,
                              const ImportListener& listener) {
  Importer importer{store, listener};
  for (const std::string& file : files) {
    if (file == "-") {
      importer.add_lines(std::cin, "stdin");
    } else {
      std::ifstream stream(file, std::ios::binary);
      importer.add_lines(stream, file);
    }
  }
  return importer.counts;
}

ImportCounts import_logs(const FileFormat& format, const std::vector<std::string>& files,
                         Store& store, const ImportListener& listener) {
  Importer importer{store, listener};
  read_logs(format, files, [&](const std::string& file, ImportedLog log) {
    for (Run& run : log.runs) {
      run.context.imported = true;
      repair_measured(run, today());
      importer.add(file, run);
    }
    for (const std::string& problem : log.problems) importer.refuse(file, problem);
  });
  return importer.counts;
}

bool read_line(std::istream& in, std::size_t most, BoundedLine& line) {
  line = {};
  char piece[4096];
  bool any = false;
  while (in.good()) {
    in.getline(piece, sizeof piece);
    const auto bytes = static_cast<std::size_t>(in.gcount());
    any = any || bytes > 0;
    const bool ended = !in.fail() && !in.eof();  // the line's end was read and counted
    const std::size_t text_bytes = bytes - (ended ? 1 : 0);
    line.was_cut = line.was_cut || text_bytes > most - line.text.size();
    line.text.append(piece, std::min(text_bytes, most - line.text.size()));
    if (!in.fail() || in.eof() || in.bad()) break;
    in.clear();  // the buffer was full
  }
  return any;
}

}  // namespace lapcast
