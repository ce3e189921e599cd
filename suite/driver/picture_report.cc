#include "suite/driver/picture_report.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "report/cells.h"
#include "stats/intervals.h"
#include "stats/two_samples.h"

namespace lapcast {
namespace {

/// Holds a row of the table. The pointers are null if there are no runs.
struct PictureRow {
  std::string size;
  std::string machine;
  const PictureRuns* cores = nullptr;
  const PictureRuns* gpu = nullptr;
  const PictureRuns* server = nullptr;  // its cores
};

const PictureRuns* find_pictures(const std::vector<PictureRuns>& all, const std::string& size,
                                 const std::string& machine, PictureMode mode) {
  const auto found = std::ranges::find_if(all, [&](const PictureRuns& runs) {
    return runs.size == size && runs.machine == machine && runs.mode == mode;
  });
  return found == all.end() ? nullptr : &*found;
}

/// Returns a row for each size and machine, in the order of their first runs, but grouped by size.
std::vector<PictureRow> picture_rows(const std::vector<PictureRuns>& all,
                                     const std::string& server) {
  std::vector<PictureRow> rows;
  for (const PictureRuns& runs : all) {
    const auto same_size = [&](const PictureRow& row) { return row.size == runs.size; };
    const auto same = [&](const PictureRow& row) {
      return same_size(row) && row.machine == runs.machine;
    };
    if (std::ranges::any_of(rows, same)) continue;
    const auto last = std::find_if(rows.rbegin(), rows.rend(), same_size);
    const auto find = [&](const std::string& machine, PictureMode mode) {
      return find_pictures(all, runs.size, machine, mode);
    };
    rows.insert(last == rows.rend() ? rows.end() : last.base(),
                {runs.size, runs.machine, find(runs.machine, PictureMode::cores),
                 find(runs.machine, PictureMode::gpu),
                 server.empty() ? nullptr : find(server, PictureMode::cores)});
  }
  return rows;
}

Cell time_of_picture(const PictureRuns* runs) {
  return runs == nullptr ? Cell() : mean_time(runs->seconds);
}

std::optional<Interval<double>> gpu_speed_up(const PictureRuns* cores, const PictureRuns* gpu) {
  if (cores == nullptr || gpu == nullptr) return std::nullopt;
  return speed_up(cores->seconds, gpu->seconds);
}

Cell objects_cell(const PictureRow& row) {
  const PictureRuns* runs = row.cores == nullptr ? row.gpu : row.cores;
  return runs == nullptr || runs->seconds.empty() ? Cell() : Cell(Number{runs->objects, 0});
}

Cell runs_cell(const PictureRuns* runs) {
  return runs == nullptr ? Cell() : cell_of(runs->seconds.size());
}

std::string why_not(const PictureRow& row) {
  std::string text;
  for (const PictureRuns* runs : {row.cores, row.gpu}) {
    if (runs == nullptr || runs->reason.empty()) continue;
    text += (text.empty() ? "" : "; ") + std::string(name_of(runs->mode)) + ": " + runs->reason;
  }
  return text;
}

/// Returns "(443, 760, 3)" for "443x760", as the paper prints a size.
std::string resolution(const PictureRow& row) {
  const std::size_t cross = row.size.find('x');
  return "(" + row.size.substr(0, cross) + ", " + row.size.substr(cross + 1) + ", 3)";
}

}  // namespace

Table picture_table(const std::vector<PictureRuns>& runs, const std::string& server) {
  const auto over_cores = [](const PictureRow& row) { return gpu_speed_up(row.cores, row.gpu); };
  const auto over_server = [](const PictureRow& row) { return gpu_speed_up(row.server, row.gpu); };
  const auto notation = [=](const PictureRow& row) {
    return gpu_notation(over_cores(row), over_server(row));
  };
  const std::vector<ColumnOf<PictureRow>> columns{
      {"image_size", "", &PictureRow::size},
      {"", "resolution", resolution},
      {"machine_type", "machine", [](auto& row) { return text_cell(row.machine); }, kOptional},
      {"cores_time_s", "multithreaded", [](auto& row) { return time_of_picture(row.cores); },
       kBounds},
      {"gpu_time_s", "GPU", [](auto& row) { return time_of_picture(row.gpu); },
       kBounds | kOptional},
      {"", "<own cores, server's>", notation, kOptional},
      {"speed_up_over_cores", "", over_cores, kBounds},
      {"speed_up_over_server", "", over_server, kBounds},
      {"objects", "objects", objects_cell, spare(1)},
      {"cores_runs", "runs", [](auto& row) { return runs_cell(row.cores); }, spare(2)},
      {"gpu_runs", "", [](auto& row) { return runs_cell(row.gpu); }},
      {"reason", "why not", [](auto& row) { return text_cell(why_not(row)); }, kOptional}};
  Table table = table_of("pictures", "Object localization and segmentation", columns,
                         picture_rows(runs, server));
  table.notes = {
      "seconds of a picture, as in table 3 of [C]; <T cores / T GPU, T cores of the "
      "server / T GPU>"};
  return table;
}

}  // namespace lapcast
