#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "formats/listed_machine.h"

namespace lapcast {

/// Takes what a list of prices has.
struct PriceSink {
  std::function<void()> count_row;
  std::function<void(const ListedMachine&)> add;  // the texts live until it returns
  std::function<void(const std::string& reason)> refuse;
};

// Each of these reads a price list in JSON as the provider itself gives it: one document, or a list
// of several, such as the pages of an answer. It throws Error (bad input) where the text is not
// JSON, or has no such prices.

/// Reads Azure's retail prices.
void read_azure_prices(std::string_view text, const PriceSink& sink);
/// Reads the offers of vast.ai.
void read_vast_offers(std::string_view text, const PriceSink& sink);
/// Reads the GPU types of RunPod.
void read_runpod_types(std::string_view text, const PriceSink& sink);

}  // namespace lapcast
