#include "formats/format_list.h"

#include <algorithm>
#include <iterator>

#include "formats/csv_intervals.h"
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

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool begins_with(std::string_view head, char mark) {
  const std::size_t at = head.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && head[at] == mark;
}

bool is_mllog(std::string_view head, std::string_view) {
  return has(head, ":::ML");
}
bool is_dawnbench(std::string_view head, std::string_view name) {
  const bool is_json = begins_with(head, '{') && has(head, "\"hardware\"");
  return is_json ? !has(head, "\"lap_logs\"")
                 : name.ends_with(".tsv") &&
                       (head.starts_with("epoch\thours") || head.starts_with("hours\tepoch"));
}
bool is_event_file(std::string_view head, std::string_view name) {
  return has(name, "tfevents") || has(head.substr(0, 100), "brain.Event:");
}
bool is_trainer_state(std::string_view head, std::string_view) {
  return begins_with(head, '{') && has(head, "\"log_history\"");
}
bool is_wandb_history(std::string_view head, std::string_view) {
  return (begins_with(head, '{') || begins_with(head, '[')) &&
         (has(head, "\"_step\"") || has(head, "\"_runtime\""));
}
bool is_epochs_json(std::string_view head, std::string_view) {
  const bool is_list = begins_with(head, '[') || (begins_with(head, '{') && has(head, "}\n{"));
  return is_list && has(head, "\"epoch\"") && !has(head, "\"iter") && !has(head, "\"step\"");
}
bool is_metrics_json(std::string_view head, std::string_view) {
  return (begins_with(head, '{') || begins_with(head, '[')) && names_metrics_json(head);
}
bool is_mlflow_run(std::string_view names, std::string_view) {
  return has(names, "\nmeta.yaml\n") && has(names, "\nmetrics\n");
}
bool is_stopwatch(std::string_view head, std::string_view) {
  return has(head, "# csv,") || has(head, "timer,status,time");
}
bool is_algoperf(std::string_view head, std::string_view) {
  return names_algoperf(head.substr(0, head.find('\n')));
}
bool is_metrics_csv(std::string_view head, std::string_view) {
  return names_metrics(head.substr(0, head.find('\n'))) || prints_epochs(head);
}

ImportedLog import_named_intervals(std::string_view text, const std::string& source,
                                   const IntervalColumns& named) {
  return import_intervals(text, source, named);
}

constexpr LogOfFolder kMlflow{"metrics", import_mlflow};
constexpr LogOfTwoFiles kDawnbench{".json", ".tsv", import_dawnbench};
constexpr FilePerRun kEventFiles{event_folder_name, event_file_name, event_file,
                                 "tensorboard --logdir"};

constexpr FileFormat kFormats[] = {
    {FormatKind::log, "mllog", "MLPerf training, v0.5 and later", begin_log<MllogReader>, is_mllog},
    {FormatKind::log, "dawnbench", "an entry's JSON, its TSV, or both", kDawnbench, is_dawnbench},
    {FormatKind::log, "tensorboard", "TensorBoard event files", begin_log<TensorboardReader>,
     is_event_file},
    {FormatKind::log, "trainer-state", "trainer_state.json of Hugging Face", import_trainer_state,
     is_trainer_state},
    {FormatKind::log, "wandb", "history of W&B as JSON", import_metrics_json, is_wandb_history},
    {FormatKind::log, "mlflow", "the folder of a run of MLflow", kMlflow, is_mlflow_run},
    {FormatKind::log, "stopwatch", "lines of cloudmesh's stopwatch", import_stopwatch_csv,
     is_stopwatch},
    {FormatKind::log, "algoperf", "eval_measurements.csv of AlgoPerf", import_algoperf,
     is_algoperf},
    {FormatKind::log, "csv-intervals", "CSV with steps and seconds at each evaluation",
     import_named_intervals},
    {FormatKind::log, "keras-csv", "CSV or printed table, a row an epoch or a step",
     import_metrics_csv, is_metrics_csv},
    {FormatKind::log, "epochs-json", "JSON with a row an epoch, as of skorch", import_epochs_json,
     is_epochs_json},
    {FormatKind::log, "metrics-json", "JSON with a row for some steps, as of detectron2",
     import_rows_json, is_metrics_json},
    {FormatKind::price_list, "skypilot", "vms.csv of its catalogs", PriceListFormat::skypilot},
    {FormatKind::price_list, "vantage", "instances.json", PriceListFormat::vantage},
    {FormatKind::price_list, "gcp-pricing", "pricing as CSV", PriceListFormat::gcp_pricing},
    {FormatKind::price_list, "gpuhunt", "its CSV", PriceListFormat::gpuhunt},
    {FormatKind::price_list, "cloud-gpus", "cloud-gpus.csv", PriceListFormat::cloud_gpus},
    {FormatKind::price_list, "azure", "JSON of prices.azure.com", PriceListFormat::azure},
    {FormatKind::price_list, "vast", "JSON of vastai search offers --raw", PriceListFormat::vast},
    {FormatKind::price_list, "runpod", "JSON of its gpuTypes", PriceListFormat::runpod},
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

const FileFormat* recognized_log(std::string_view head, std::string_view name) {
  for (const FileFormat& format : kFormats)
    if (format.recognize != nullptr && !std::holds_alternative<LogOfFolder>(format.use) &&
        format.recognize(head, name))
      return &format;
  return nullptr;
}

const FileFormat* recognized_folder(std::string_view names) {
  for (const FileFormat& format : kFormats)
    if (std::holds_alternative<LogOfFolder>(format.use) && format.recognize(names, {}))
      return &format;
  return nullptr;
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
