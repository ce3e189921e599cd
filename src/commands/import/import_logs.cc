#include "commands/import/import_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "commands/import/found_files.h"
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

/// Reads the files of a log one after another, as if they were one.
ImportedLog read_log(const BeginLog& begin, const std::vector<std::string>& files) {
  const auto reader = begin();
  bool complete = true;
  for (const std::string& file : files)
    complete &= for_each_piece(file, [&](std::string_view piece) { reader->feed(piece); });
  ImportedLog imported = reader->finish(name_of(files.front()));
  if (!complete) imported.problems.emplace_back(kCutOff);
  return imported;
}

template <class Read>
ImportedLog read_text(const Read& read, const std::string& file) {
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

ImportedLog read_log(const LogOfFolder& format, const std::string& folder) {
  std::map<std::string, std::string> texts;
  std::vector<std::string> problems;
  std::size_t bytes = 0;
  const fs::path top = fs::path(folder) / format.folder;
  if (!fs::is_directory(top))
    throw Error(ExitCode::bad_input, fmt::format("cannot read {}: it has no folder {}",
                                                 printable(folder), format.folder));
  for (const fs::path& file : files_below(top)) {
    std::string text = text_of(file, problems);
    bytes += text.size();
    if (bytes > kMostTextBytes) {
      problems.push_back(fmt::format("its files are longer than {}; the rest is left out",
                                     format_bytes(static_cast<std::int64_t>(kMostTextBytes))));
      break;
    }
    texts.emplace(file.lexically_relative(top).string(), std::move(text));
  }
  ImportedLog imported = format.read(texts, source_of(fs::path(folder) / "."));
  imported.problems.insert(imported.problems.begin(), problems.begin(), problems.end());
  return imported;
}

ImportedLog read_log(const FoundLog& log, const IntervalColumns& columns) {
  const std::string& file = log.files.front();
  if (const auto* pieces = std::get_if<BeginLog>(&log.format->use))
    return read_log(*pieces, log.files);
  if (const auto* two = std::get_if<LogOfTwoFiles>(&log.format->use)) return read_log(*two, file);
  if (const auto* folder = std::get_if<LogOfFolder>(&log.format->use))
    return read_log(*folder, file);
  if (const auto* intervals = std::get_if<ReadIntervals>(&log.format->use))
    return read_text(
        [&](const auto& text, const auto& source) { return (*intervals)(text, source, columns); },
        file);
  return read_text(std::get<ReadLog>(log.format->use), file);
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

ImportCounts import_logs(const std::vector<FoundLog>& logs, const std::string& machine,
                         const IntervalColumns& columns, Store& store,
                         const ImportListener& listener) {
  Importer importer{store, listener};
  std::set<fs::path> pairs;  // logs of two files are read once, whichever of them are named
  for (const FoundLog& found : logs) {
    const std::string& file = found.files.front();
    if (std::holds_alternative<LogOfTwoFiles>(found.format->use)) {
      std::error_code ignored;
      if (!fs::exists(file, ignored)) read_head(file, 1);  // throws why
      if (!pairs.insert(fs::path(file).replace_extension()).second) continue;
    }
    ImportedLog log = read_log(found, columns);
    for (Run& run : log.runs) {
      run.context.imported = true;
      if (!machine.empty()) run.context.machine_type.name = machine;
      repair_measured(run, today());
      importer.add(file, run);
    }
    for (const std::string& problem : log.problems) importer.refuse(file, problem);
  }
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
