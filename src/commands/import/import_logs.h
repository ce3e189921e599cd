#pragma once

#include <functional>
#include <istream>
#include <string>
#include <vector>

#include "commands/import/found_files.h"
#include "store/store.h"

namespace lapcast {

/// Counts the runs of some files by what happened to them.
struct ImportCounts {
  std::size_t imported = 0;
  std::size_t known = 0;    // the store had them already, and keeps them as they are
  std::size_t refused = 0;  // lines or logs that are not a run
};

/// Receives each run of a file and each problem; a function may be empty.
struct ImportListener {
  std::function<void(const std::string& file, const Run& run, bool is_new)> on_run = {};
  /// Receives a problem. `where` is "runs.jsonl:12", or the name of the file. Both texts may hold
  /// any bytes.
  std::function<void(const std::string& where, const std::string& what)> on_problem;
};

/// Throws Error (bad input) if one of the files cannot be opened; "-" is stdin.
void check_run_files(const std::vector<std::string>& files);

/// Stores the runs of files of JSON lines, as `lapcast export` writes them; "-" is stdin. All
/// become imported runs. Throws Error (bad input) when a file cannot be read to its end.
ImportCounts import_run_files(const std::vector<std::string>& files, Store& store,
                              const ImportListener& listener);

/// Stores the runs of old logs. `machine` is what they ran on, where it is not empty; a file may be
/// compressed by gzip; "-" is stdin. `columns` are those of ReadIntervals. Throws Error (bad input)
/// when a file cannot be read.
ImportCounts import_logs(const std::vector<FoundLog>& logs, const std::string& machine,
                         const IntervalColumns& columns, Store& store,
                         const ImportListener& listener);

/// Holds a line of a stream without its line break.
struct BoundedLine {
  std::string text;
  bool was_cut = false;  // it was longer than the limit; the rest was skipped
};

/// Reads the next line, of any length, and keeps at most `most` bytes of it. Returns false at the
/// end of the stream.
bool read_line(std::istream& in, std::size_t most, BoundedLine& line);

}  // namespace lapcast
