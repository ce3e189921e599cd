#include "suite/driver/prepare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr double kMegabyte = 1e6;

Cell rate_cell(double amount, Seconds time) {
  if (time.count() <= 0 || amount <= 0) return {};
  return Number{amount / time.count(), 1};
}

Table prepared_table(const PreparedSet& set, const std::string& folder) {
  const auto skipped = static_cast<std::int64_t>(set.skipped.size());
  return figure_table(
      "prepared", fmt::format("Images in {}", printable(folder)),
      {{"images", "images", cell_of(set.images)},
       {"prepared", "prepared", cell_of(set.prepared)},
       {"skipped", "skipped", cell_of(skipped)},
       {"shards", "shards", cell_of(set.shards)},
       {"now", "handled now", cell_of(set.done), "the others were handled by earlier commands"},
       {"time_s", "time", time_or_nothing(set.time)},
       {"images_per_s", "images/s", rate_cell(static_cast<double>(set.done), set.time)},
       {"mb_per_s", "MB/s read",
        rate_cell(static_cast<double>(set.bytes_in) / kMegabyte, set.time)},
       {"read_bytes", "read", Bytes{set.bytes_in}},
       {"written_bytes", "pictures made of it", Bytes{set.bytes_out}},
       {"folder", "", folder}});
}

Table stages_table(const PreparedSet& set) {
  Seconds sum{0};
  for (const PrepareStage& stage : set.stages) sum += stage.time;
  const auto share = [sum](const PrepareStage& stage) {
    return share_cell(sum.count() > 0 ? std::optional(stage.time / sum) : std::nullopt);
  };
  return table_of<PrepareStage>("prepare_stages", "Time of all workers by stage",
                                {{"stage", "stage", &PrepareStage::stage},
                                 {"time_s", "time", &PrepareStage::time},
                                 {"share", "share", share}},
                                set.stages);
}

Table sizes_table(const PreparedSet& set) {
  return table_of<FileSizes>("prepare_files", "Files by size",
                             {{"up_to_kib", "up to KiB", &FileSizes::kib},
                              {"before", "before", &FileSizes::before},
                              {"after", "after", &FileSizes::after}},
                             set.files);
}

Table pictures_table(const PreparedSet& set) {
  std::vector<PictureSize> sizes = set.sizes;
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const auto& a, const auto& b) { return a.images > b.images; });
  constexpr std::size_t kMostShown = 20;
  std::vector<std::string> notes;
  if (sizes.size() > kMostShown) {
    notes.push_back(fmt::format("{} rarer sizes are left out", sizes.size() - kMostShown));
    sizes.resize(kMostShown);
  }
  Table table = table_of<PictureSize>("prepare_pictures", "Photographs by pixels",
                                      {{"width", "width", &PictureSize::width},
                                       {"height", "height", &PictureSize::height},
                                       {"images", "images", &PictureSize::images}},
                                      sizes);
  table.notes = std::move(notes);
  return table;
}

}  // namespace

std::vector<Table> prepare_tables(const PreparedSet& set, const std::string& folder) {
  std::vector<Table> tables{prepared_table(set, folder), stages_table(set), pictures_table(set),
                            sizes_table(set)};
  if (!set.skipped.empty()) {
    const auto image = [](const SkippedImage& skipped) { return printable(skipped.image); };
    const auto reason = [](const SkippedImage& skipped) { return printable(skipped.reason); };
    tables.push_back(table_of<SkippedImage>(
        "prepare_skipped", "Skipped", {{"image", "image", image}, {"reason", "reason", reason}},
        set.skipped));
  }
  return tables;
}

}  // namespace lapcast
