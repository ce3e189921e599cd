#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "forecast/learning_curve.h"
#include "pages/page_kind.h"
#include "query/rank_runs.h"
#include "rank/comparison.h"
#include "report/redaction.h"
#include "store/store.h"

namespace lapcast {

/// Says what a report is about and how much it tells.
struct ReportRequest {
  RankRequest ranking;                  // with the selection of runs
  std::vector<std::string> compared;    // two sets of runs (runs_named()), or none
  RunMetric metric;                     // that the sets are compared by
  std::optional<TrainingGoal> goal;     // until which the needed epochs are forecast
  std::vector<std::string> heartbeats;  // files of `lapcast soak`
  std::string title;                    // empty = made from the program
  Detail detail = Detail::usual;
  std::string home;             // the user's home folder
  std::string command;          // that made the report, as it was typed
  std::string version;          // of lapcast
  std::string made_at;          // UTC, "2026-11-20T12:00:00Z"
  std::vector<PagePart> parts;  // that other parts of the program add
  unsigned threads = 0;         // at most; 0 = one for each CPU, up to 16
};

/// Holds a report as data.
struct Report {
  std::string document;  // JSON text
  std::size_t runs = 0;
  bool is_ranked = false;             // there is a first choice
  std::vector<std::string> warnings;  // about catalogs
};

/// Makes a report of the selected runs, or, without a selection, of those that are compared. Throws
/// Error (some_failed) when there is neither a run nor a file of heartbeats, what runs_named()
/// throws, and Error (bad_input) for a catalog or a file of heartbeats that cannot be read.
Report make_report(const Store& store, const ReportRequest& request);

}  // namespace lapcast
