#include "cli/offer_options.h"

#include "cli/option_table.h"
#include "core/money.h"
#include "core/units.h"

namespace lapcast {

void add_filter_to(CLI::App& app, OfferFilter& filter, const char* group) {
  add_options(
      app,
      {{"--find TEXT", &filter.text, "only offers that hold this text"},
       {"--gpu NAME", &filter.accelerator, "only accelerators whose name holds this"},
       {"--count N",
        &filter.accelerator_count,
        "with exactly so many accelerators",
        {.most = 1 << 20, .least = 0}},
       {"--provider NAME", &filter.provider, "only providers whose name holds this"},
       {"--region NAME", &filter.region, "only regions whose name holds this"},
       {"--terms TERMS", &filter.terms, "only these terms",
        one_of("on-demand|spot|reserved|owned")},
       {"--max-price USD", parsed(filter.most_per_hour, not_below_zero(Money::parse, "2.50")),
        "only prices per hour up to this"},
       {"--min-memory SIZE", parsed(filter.least_memory_bytes, parse_bytes),
        "with at least this main memory, such as 80GB"},
       {"--min-gpu-memory SIZE", parsed(filter.least_accelerator_memory_bytes, parse_bytes),
        "with at least this memory on each accelerator"}},
      group);
}

}  // namespace lapcast
