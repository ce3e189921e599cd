#pragma once

#include "price/offer_filter.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Adds the options that choose offers: --find, --gpu, --count, --provider, --region, --terms,
/// --max-price, --min-memory and --min-gpu-memory.
void add_filter_to(CLI::App& app, OfferFilter& filter, const char* group = "Options");

}  // namespace lapcast
