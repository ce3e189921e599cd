#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pages/page_document.h"
#include "report/redaction.h"
#include "run/run.h"
#include "store/store.h"
#include "table/table.h"

namespace lapcast {

/// Makes a part of the report page that only some reports have.
struct PagePart {
  const char* key;  // of the part in the document
  /// Returns the part; nullopt if the runs have no data for it.
  std::optional<nlohmann::ordered_json> (*make)(const Store& store, std::span<const Run> runs);
};

/// Describes the input for a page of another kind than the report.
struct PageRequest {
  std::vector<Run> runs;
  std::filesystem::path store_folder;  // in which the store lies
  Detail detail = Detail::usual;
  PageOrigin origin;
};

struct MadePage {
  std::string document;         // JSON text (docs/report.schema.json)
  std::vector<Figure> figures;  // what `lapcast report` prints about it
};

/// Makes pages that `lapcast report` writes instead of the report. They need neither runs nor a
/// store.
struct PageKind {
  const char* option;  // of `lapcast report`: "--papers"
  const char* help;
  MadePage (*make)(const PageRequest& request);
};

}  // namespace lapcast
