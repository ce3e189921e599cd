// The figures of the papers: their list, and the points of all except Malta's.
#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "suite/papers/figure.h"
#include "suite/papers/paper_table.h"
#include "suite/papers/study.h"

namespace lapcast {
namespace {

constexpr double kSecondsOfMinute = 60;

constexpr std::array<std::pair<FigureKind, std::string_view>, 6> kKinds{
    {{FigureKind::lines, "lines"},
     {FigureKind::cost_time, "cost-time"},
     {FigureKind::epochs, "epochs"},
     {FigureKind::bars, "bars"},
     {FigureKind::stacks, "stacks"},
     {FigureKind::boxes, "boxes"}}};

std::optional<FigureKind> kind_named(const std::string& name) {
  for (const auto& [kind, text] : kKinds)
    if (text == name) return kind;
  return std::nullopt;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<FigureSeries> series_of(const std::string& paper, const std::string& number) {
  if (paper == "carneiro") return carneiro_series(number);
  if (paper == "kunas") return kunas_series(number);
  if (paper == "lawrence") return lawrence_series(number);
  if (paper == "malta") return malta_series(number);
  return review_series(number);
}

[[noreturn]] void refuse(const char* paper, std::string_view number) {
  throw Error(ExitCode::bad_input,
              std::string("no figure ") + std::string(number) + " of " + paper + " is drawn");
}

const PaperFacts& figure_facts() {
  static const PaperFacts facts(figure_facts_csv());
  return facts;
}

FigurePoint bar_of(std::string label, double y) {
  return {.y = y, .label = std::move(label)};
}

/// Returns the derived training time of an application on a platform of Künas, in seconds.
double kunas_seconds(const PaperFacts& facts, const std::string& application,
                     const std::string& platform) {
  const double local =
      facts(application + " local", "cost").value.mid / facts("local", "price").value.mid * 3600;
  if (platform == "P100") return local;
  return local / facts(application + " " + platform, "speed-up over P100").value.mid;
}

FigureSeries kunas_times(const std::string& application,
                         const std::vector<std::string>& platforms) {
  const PaperFacts facts(kunas_csv());
  FigureSeries series{.name = "paper", .points = {}};
  for (const std::string& platform : platforms)
    series.points.push_back(bar_of(platform, kunas_seconds(facts, application, platform)));
  return series;
}

FigureSeries kunas_preparation() {
  const PaperFacts facts(kunas_csv());
  FigureSeries series{.name = "paper", .points = {}};
  for (const std::string how : {"sequential", "parallel"}) {
    const double local = facts("preparation local-" + how, "elapsed").value.mid;
    const double gain = facts("preparation local-" + how, "gain over cloud").value.mid;
    series.points.push_back(bar_of(how + ", local", local));
    series.points.push_back(bar_of(how + ", cloud", local / (1 - gain / 100)));
  }
  return series;
}

/// Returns the times of the TPU, with and without the transfer, relative to the P100.
FigureSeries kunas_relative_times() {
  const PaperFacts facts(kunas_csv());
  const auto over = [&](const char* row, const char* quantity) {
    return 1 / facts(row, quantity).value.mid;
  };
  return {.name = "paper",
          .points = {bar_of("P100", 1), bar_of("V100", over("ic-dr V100", "speed-up over P100")),
                     bar_of("TPUv3", over("ic-dr TPUv3", "speed-up over P100")),
                     bar_of("TPUv3 with transfer",
                            over("ic-dr TPUv3", "speed-up with transfer over P100"))}};
}

/// Returns bars of facts of one quantity, a bar for each row.
FigureSeries facts_as_bars(const std::vector<std::string>& rows, const char* quantity,
                           const std::string& before = "") {
  FigureSeries series{.name = "paper", .points = {}};
  for (const std::string& row : rows)
    series.points.push_back(bar_of(row, figure_facts()(before + row, quantity).value.mid));
  return series;
}

/// Returns the stages of a network of the review on its three devices, if they are printed.
std::vector<FigureSeries> review_stages(const std::string& network) {
  std::vector<FigureSeries> stages{
      {"load data", {}}, {"pre-process", {}}, {"compile", {}}, {"train", {}}, {"evaluate", {}}};
  const char* const columns[] = {"data_load_s", "pre_process_s", "compile_s", "train_s",
                                 "evaluate_s"};
  for (const PaperRow& row : paper_rows(review_stages_csv()))
    for (std::size_t i = 0; row.text("network") == network && i < stages.size(); ++i)
      stages[i].points.push_back(
          bar_of("paper: " + row.text("device"), row.number(columns[i]).value.mid));
  if (!stages.front().points.empty()) return stages;
  stages.erase(stages.begin(), stages.begin() + 3);
  for (const PaperRow& row : paper_rows(review_csv()))
    for (const auto& [column, device] :
         {std::pair{"cpu_s", "CPU"}, std::pair{"gpu_s", "GPU"}, std::pair{"tpu_s", "TPU"}})
      if (row.text("network") == network)
        stages[row.text("stage") == "train" ? 0 : 1].points.push_back(
            bar_of(std::string("paper: ") + device, row.number(column).value.mid));
  return stages;
}

}  // namespace

std::string_view to_string(FigureKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].second;
}

std::vector<FigureSeries> carneiro_series(std::string_view number) {
  if (number == "1") return {facts_as_bars({"Mainstream one core"}, "rate")};
  if (number == "2")
    return {facts_as_bars(
        {"Server all cores", "Mainstream all cores", "Server GPU", "Colab GPU", "Mainstream GPU"},
        "speed-up")};
  refuse("carneiro", number);
}

std::vector<FigureSeries> kunas_series(std::string_view number) {
  if (number == "5.2") return {kunas_preparation()};
  if (number == "6.1") return {kunas_times("nn-twins", {"P100", "V100", "TPUv2", "TPUv3"})};
  if (number == "6.2") return {kunas_times("rnn-sa", {"P100", "TPUv2", "TPUv3"})};
  if (number == "6.3") return {kunas_times("ic-dr", {"P100", "V100", "TPUv3"})};
  if (number == "6.4") return {kunas_relative_times()};
  if (number == "6.6") return {facts_as_bars({"training", "test"}, "accuracy", "RNN-SA ")};
  if (number == "6.7") return {facts_as_bars({"P100", "V100", "TPUv3"}, "accuracy", "IC-DR ")};
  refuse("kunas", number);
}

std::vector<FigureSeries> lawrence_series(std::string_view number) {
  const PaperFacts facts(lawrence_csv());
  if (number == "4") {
    const Printed end = figure_facts()("embryo network after 20 epochs", "accuracy");
    return {{"paper: all systems", {{.x = 20, .y = end.value.mid, .label = ""}}}};
  }
  if (number != "5") refuse("lawrence", number);
  const auto seconds = [&](const char* row, const char* quantity) {
    return kSecondsOfMinute * facts(row, quantity).value.mid;
  };
  return {{"paper",
           {bar_of("laptop, 2 cores", seconds("laptop", "training")),
            bar_of("desktop, 4 cores", seconds("desktop", "training")),
            bar_of("desktop, if linear", seconds("desktop", "linear expectation"))}}};
}

std::vector<FigureSeries> review_series(std::string_view number) {
  for (const auto& [figures, network] :
       {std::pair{"1-3", "mlp"}, std::pair{"4-6", "cnn"}, std::pair{"7-9", "rnn"},
        std::pair{"10-12", "lstm"}, std::pair{"13-15", "autoencoder"}})
    if (number == figures) return review_stages(network);
  refuse("review", number);
}

std::vector<PaperFigure> paper_figures() {
  std::vector<PaperFigure> figures;
  for (const PaperRow& row : paper_rows(figures_csv())) {
    PaperFigure figure{.paper = row.text("paper"),
                       .number = row.text("figure"),
                       .place = row.text("place"),
                       .shows = row.text("shows"),
                       .drawn_from = row.text("drawn_from"),
                       .note = row.text("note"),
                       .kind = kind_named(row.text("kind")),
                       .x = row.text("x"),
                       .y = row.text("y"),
                       .unit = row.text("unit"),
                       .own = row.text("own"),
                       .workloads = words_of(row.text("workload")),
                       .command = row.text("command"),
                       .series = {}};
    if (!figure.drawn_from.empty()) figure.series = series_of(figure.paper, figure.number);
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace lapcast
