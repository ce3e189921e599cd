#pragma once

#include <functional>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/imported.h"
#include "store/store.h"

namespace lapcast {

/// Counts what became of the runs of some files.
struct ImportCounts {
  std::size_t imported = 0;
  std::size_t known = 0;    // the store had them before, and keeps them as they are
  std::size_t refused = 0;  // lines or logs that are not a run
};

/// Receives each run of a file and each problem; a function may be empty.
struct ImportListener {
  std::function<void(const std::string& file, const Run& run, bool is_new)> on_run;
  /// Receives a problem. `where` is "runs.jsonl:12", or the name of the file. Both texts may hold
  /// any bytes.
  std::function<void(const std::string& where, const std::string& what)> on_problem;
};

/// Throws Error (bad input) when one of the files cannot be opened; "-" is stdin.
void check_run_files(const std::vector<std::string>& files);

/// Stores the runs of files of JSON lines, as `lapcast export` writes them; "-" is stdin. All
/// become imported runs. Throws Error (bad input) when a file cannot be read to its end.
ImportCounts import_run_files(const std::vector<std::string>& files, Store& store,
                              const ImportListener& listener);

/// Describes a format of old logs that `lapcast import` knows.
struct LogFormat {
  std::string_view name;
  /// Reads the logs one after the other and hands over what each one was.
  void (*read)(const std::vector<std::string>& files,
               const std::function<void(const std::string& file, ImportedLog log)>& take);
};

/// Returns all formats, in the order in which they are listed.
std::span<const LogFormat> log_formats();
/// Returns the format of that name; nullptr when there is none.
const LogFormat* log_format(std::string_view name);

/// Stores the runs of old logs. A file may be compressed by gzip; "-" is stdin. Throws Error (bad
/// input) when a file cannot be read.
ImportCounts import_logs(const LogFormat& format, const std::vector<std::string>& files,
                         Store& store, const ImportListener& listener);

/// Holds a line of a stream, without its end.
struct BoundedLine {
  std::string text;
  bool was_cut = false;  // it was longer than asked for; the rest was skipped
};

/// Reads the next line and keeps at most `most` bytes of it, however long it is. Returns false at
/// the end of the stream.
bool read_line(std::istream& in, std::size_t most, BoundedLine& line);

/// Calls `take` with the text of a file piece by piece, decompressed where it is gzip; "-" is
/// stdin. Returns false where compressed data end too early or are damaged: what came before was
/// handed over. Throws Error (bad input) when the file cannot be read.
bool for_each_piece(const std::string& file, const std::function<void(std::string_view)>& take);

/// Holds the text of a whole file, and what for_each_piece() returned for it.
struct WholeFile {
  std::string text;
  bool complete = true;
};

/// Reads a whole file as for_each_piece() does. Throws Error (bad input) also when its text is
/// longer than most_bytes.
WholeFile read_whole(const std::string& file, std::size_t most_bytes);

}  // namespace lapcast
