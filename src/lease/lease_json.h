#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "lease/lease.h"

namespace lapcast {

/// Returns a lease as one line of JSON, as the ledger keeps it.
std::string lease_json(const Lease& lease);

/// Reads what lease_json() wrote. The reason says what is wrong with the text.
Result<Lease> parse_lease(std::string_view json);

}  // namespace lapcast
