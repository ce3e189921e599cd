#pragma once

#include "price/offer_filter.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Says whether a command takes offers with several accelerators.
enum class Accelerators { any, one };

/// Adds the options that choose offers: --find, --gpu, --provider, --region, --terms, --max-price
/// and --min-memory, and for offers with any number of accelerators --count and --min-gpu-memory.
void add_filter_to(CLI::App& app, OfferFilter& filter, Accelerators accelerators,
                   const char* group = "Options");

}  // namespace lapcast
