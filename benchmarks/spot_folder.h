#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "found_data.h"
#include "spot/availability_trace.h"

namespace lapcast {

/// Holds when one machine could be had, by a trace of a folder.
struct SpotPlace {
  std::string name;
  std::vector<PresenceSpan> spans;
  Seconds length{0};
};

/// Reads a file, decompressed where it is gzip; at most 64 MB.
inline std::string spot_file_text(const std::filesystem::path& path) {
  std::string text(64 << 20, '\0');
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  const int read = gzread(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  text.resize(static_cast<std::size_t>(std::max(read, 0)));
  return text;
}

/// Returns the tick traces (*.json, *.json.gz) of a folder that are at least that long, by name.
/// Ends the program without a folder, and by no_data_in() when the folder has none.
inline std::vector<SpotPlace> spot_places(int argc, char** argv, Seconds shortest = Seconds{0}) {
  std::vector<SpotPlace> places;
  std::error_code error;
  if (argc == 2)
    for (const auto& entry : std::filesystem::directory_iterator(argv[1], error)) {
      const std::string name = entry.path().filename().string();
      const auto trace = parse_tick_trace(spot_file_text(entry.path()));
      if (!trace || trace->trace.length() < shortest) continue;
      const std::string shown = name.substr(0, name.find(".json"));
      places.push_back({shown, presence_of(trace->trace), trace->trace.length()});
    }
  if (places.empty() && argc == 2)
    no_data_in(argv[1], "traces of skypilot-org/spot-traces (*.json or *.json.gz)");
  if (places.empty()) {
    std::fprintf(stderr, "usage: %s DIR, a folder with traces of skypilot-org/spot-traces\n",
                 argv[0]);
    std::exit(2);
  }
  std::sort(places.begin(), places.end(),
            [](const SpotPlace& a, const SpotPlace& b) { return a.name < b.name; });
  return places;
}

}  // namespace lapcast
