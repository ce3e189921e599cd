#include "formats/format_list.h"

#include <algorithm>
#include <iterator>

#include "formats/event_file_writer.h"
#include "formats/mllog_reader.h"
#include "formats/notebook.h"
#include "formats/tensorboard.h"

namespace lapcast {
namespace {

template <class Reader>
std::unique_ptr<LogReader> begin_log() {
  return std::make_unique<Reader>();
}

template <class Writer>
std::unique_ptr<RunWriter> begin_runs(std::ostream& out) {
  return std::make_unique<Writer>(out);
}

constexpr LogOfTwoFiles kDawnbench{".json", ".tsv", import_dawnbench};
constexpr FilePerRun kEventFiles{event_folder_name, event_file_name, event_file,
                                 "tensorboard --logdir"};

constexpr FileFormat kFormats[] = {
    {FormatKind::log, "mllog", "MLPerf training, v0.5 to v2.0 and later", begin_log<MllogReader>},
    {FormatKind::log, "dawnbench", "an entry's JSON, its TSV, or both", kDawnbench},
    {FormatKind::log, "tensorboard", "TensorBoard event files", begin_log<TensorboardReader>},
    {FormatKind::log, "keras-csv", "CSV of Keras's CSVLogger", import_keras_csv},
    {FormatKind::log, "stopwatch", "lines of cloudmesh's stopwatch", import_stopwatch_csv},
    {FormatKind::price_list, "skypilot", "vms.csv of its catalogs", PriceListFormat::skypilot},
    {FormatKind::price_list, "vantage", "instances.json", PriceListFormat::vantage},
    {FormatKind::price_list, "gcp-pricing", "pricing as CSV", PriceListFormat::gcp_pricing},
    {FormatKind::price_list, "gpuhunt", "its CSV", PriceListFormat::gpuhunt},
    {FormatKind::price_list, "cloud-gpus", "cloud-gpus.csv", PriceListFormat::cloud_gpus},
    {FormatKind::runs, "tensorboard", "TensorBoard event files", kEventFiles},
    {FormatKind::runs, "chrome-trace", "a trace for Perfetto", begin_runs<TraceWriter>},
    {FormatKind::task, "skypilot", "a task file of SkyPilot", skypilot_yaml},
    {FormatKind::task, "sbatch", "a job file of Slurm", slurm_job_text},
    {FormatKind::report, "notebook", "a Jupyter notebook", notebook_text},
};

}  // namespace

const FileFormat* find_format(FormatKind kind, std::string_view name) {
  const auto found = std::ranges::find_if(kFormats, [&](const FileFormat& format) {
    return format.kind == kind && format.name == name;
  });
  return found == std::end(kFormats) ? nullptr : found;
}

std::vector<const FileFormat*> formats_of(FormatKind kind) {
  std::vector<const FileFormat*> formats;
  for (const FileFormat& format : kFormats)
    if (format.kind == kind) formats.push_back(&format);
  return formats;
}

std::string names_of_formats(FormatKind kind, std::string_view separator) {
  std::string names;
  for (const FileFormat* format : formats_of(kind))
    names.append(names.empty() ? "" : separator).append(format->name);
  return names;
}

}  // namespace lapcast
