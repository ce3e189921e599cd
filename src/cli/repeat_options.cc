#include "cli/repeat_options.h"

#include <CLI/CLI.hpp>

#include <utility>

namespace lapcast {

void RepeatOptions::add_to(CLI::App& app) {
  app.add_option(
         "--repeats", repeats,
         "least number of runs; more follow, up to three times as many, until the mean time "
         "is known to 5 % (95 % interval); 1 = once, without an interval")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10000}))
      ->type_name("N")
      ->capture_default_str();
  auto* anew = app.add_flag("--again", again,
                            "begin a new set instead of going on with the one in the store");
  app.add_flag("--keep", keep, "go on with that set even though the program's files changed")
      ->excludes(anew);
  start.add_end_to(app);
}

RepeatRequest RepeatOptions::request() const {
  return {.rule = rule(),
          .again = again,
          .keep = keep,
          .start = [this](RunContext context) { return start.request(std::move(context)); },
          .run_parent = start.run_parent};
}

}  // namespace lapcast
