#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "pages/page_document.h"
#include "report/redaction.h"
#include "run/run.h"
#include "suite/papers/measured_transfers.h"

namespace lapcast {

struct PapersPage {
  std::string document;      // JSON text (docs/report.schema.json)
  std::size_t figures = 0;   // number of drawn ones
  std::size_t with_own = 0;  // number of those with runs of the user
};

/// Makes a page with every figure of the papers that can be drawn, from the papers' printed numbers
/// and from the runs and transfers, side by side.
PapersPage papers_page(std::span<const Run> runs, std::span<const MeasuredTransfer> transfers,
                       Detail detail, const PageOrigin& origin);

}  // namespace lapcast
