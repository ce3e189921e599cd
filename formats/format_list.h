#pragma once

#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/csv_intervals.h"
#include "formats/imported.h"
#include "formats/price_list.h"
#include "formats/run_trace.h"
#include "formats/skypilot_task.h"
#include "formats/slurm_job.h"
#include "report/run_timeline.h"
#include "run/run.h"

namespace lapcast {

/// Says what a format is for, and thus which command accepts it.
enum class FormatKind {
  log,         // of trainings that other tools ran: `import`
  price_list,  // `catalog import` and `catalog update`
  runs,        // `export`
  task,        // a training to be started by another tool: `rank --export`
  report,      // `report`
};

/// Reads a log from memory. `source` is the file's name in messages.
using ReadLog = ImportedLog (*)(std::string_view text, const std::string& source);
/// Reads a table whose columns the user may name.
using ReadIntervals = ImportedLog (*)(std::string_view text, const std::string& source,
                                      const IntervalColumns& named);
/// Begins to read a log piece by piece.
using BeginLog = std::unique_ptr<LogReader> (*)();
/// Reads a log of two files in one folder; the text of an absent file is empty.
struct LogOfTwoFiles {
  std::string_view first;   // its file name extension, with the dot
  std::string_view second;  // likewise
  ImportedLog (*read)(std::string_view first, std::string_view second, const std::string& source);
};
/// Reads a log that is a folder: the texts of the files in a folder of this name within it, by
/// their names there.
struct LogOfFolder {
  std::string_view folder;
  ImportedLog (*read)(const std::map<std::string, std::string>& files, const std::string& source);
};
/// Returns whether a file is of a format by the beginning of its text and its name, or a folder by
/// the names in it, one in a line.
using Recognize = bool (*)(std::string_view head, std::string_view name);
/// Begins a file of many runs.
using BeginRuns = std::unique_ptr<RunWriter> (*)(std::ostream& out);
/// Writes a file for each run, in a folder of its own.
struct FilePerRun {
  std::string (*folder)(const RunContext& context);
  std::string (*file)(const RunTimeline& timeline);
  std::string (*text)(const RunTimeline& timeline);
  std::string_view viewer;  // the command that shows the folder behind it
};
using WriteTask = std::string (*)(const SkyPilotTask& task);
using WriteSlurmJob = std::string (*)(const SlurmJobFile& job);
using WriteReport = std::string (*)(std::string_view document);

/// Describes a format of another tool that lapcast reads or writes.
struct FileFormat {
  FormatKind kind;
  std::string_view name;  // as typed in commands; unique within its kind
  std::string_view what;  // for help texts
  std::variant<ReadLog, ReadIntervals, BeginLog, LogOfTwoFiles, LogOfFolder, PriceListFormat,
               BeginRuns, FilePerRun, WriteTask, WriteSlurmJob, WriteReport>
      use;
  Recognize recognize = nullptr;  // of a log
};

/// Returns the format of a kind with that name; nullptr if there is none.
const FileFormat* find_format(FormatKind kind, std::string_view name);
/// Returns the format of a log by its beginning and its name; nullptr where it is none of them.
const FileFormat* recognized_log(std::string_view head, std::string_view name);
/// Returns the format of a log that is a folder; nullptr where it is none. `names` has the names in
/// the folder, one in a line.
const FileFormat* recognized_folder(std::string_view names);
/// Returns the formats of a kind, in the order in which help texts list them.
std::vector<const FileFormat*> formats_of(FormatKind kind);
/// Returns their names: "skypilot|vantage".
std::string names_of_formats(FormatKind kind, std::string_view separator = "|");

}  // namespace lapcast
