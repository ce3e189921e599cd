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

/// Says what a report is about and how much detail it has.
struct ReportRequest {
  RankRequest ranking;                  // includes the selection of runs
  std::vector<std::string> compared;    // two sets of runs (runs_named()), or none
  RunMetric metric;                     // by which the sets are compared
  std::optional<TrainingGoal> goal;     // for which the needed epochs are forecast
  std::vector<std::string> heartbeats;  // files of `lapcast soak`
  std::string title;                    // empty = made from the program
  Detail detail = Detail::usual;
  std::string home;             // the user's home folder
  std::string command;          // the typed command that made the report
  std::string version;          // of lapcast
  std::string made_at;          // UTC, "2026-11-20T12:00:00Z"
  std::vector<PagePart> parts;  // added by other parts of the program
  unsigned threads = 0;         // upper limit; 0 = one for each CPU, up to 16
};

struct Report {
  std::string document;  // JSON text
  std::size_t runs = 0;
  bool is_ranked = false;             // it has a first choice
  std::vector<std::string> warnings;  // about catalogs
};

/// Makes a report of the selected runs or, without a selection, of the compared runs. Throws Error
/// (some_failed) if there is neither a run nor a file of heartbeats, Error (bad_input) for a
/// catalog or a file of heartbeats that cannot be read, and what runs_named() throws.
Report make_report(const Store& store, const ReportRequest& request);

}  // namespace lapcast
