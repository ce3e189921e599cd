#pragma once

#include <string>
#include <vector>

#include "lease/adapter.h"
#include "table/table.h"

namespace lapcast {

/// Holds one rule of the contract that an adapter was tested for.
struct AdapterCheck {
  std::string what;  // "describe"
  bool passed = false;
  std::string found;  // one line for people
};

/// Asks an adapter to describe itself, for its offers and for its list, and to delete what does not
/// exist, and checks the answers against the contract. Rents nothing. The reason says that there is
/// no such adapter.
Result<std::vector<AdapterCheck>> check_adapter(const std::string& name);

/// Returns the rules that an adapter keeps and breaks, with what was found.
Table checks_table(const std::string& adapter, const std::vector<AdapterCheck>& checks);

}  // namespace lapcast
