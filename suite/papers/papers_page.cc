#include "suite/papers/papers_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "report/run_document.h"
#include "suite/papers/figure.h"
#include "suite/papers/papers_own_runs.h"
#include "suite/papers/papers_own_transfers.h"
#include "table/table.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

bool has_own(const PaperFigure& figure) {
  return std::ranges::any_of(figure.series, [](const FigureSeries& series) {
    return series.is_own || std::ranges::any_of(series.points, [](const FigurePoint& point) {
             return point.label.starts_with("yours: ");
           });
  });
}

Table figures_table(const std::vector<PaperFigure>& figures) {
  return table_of<PaperFigure>(
      "figures", "Figures of the papers",
      {{"paper", "paper", &PaperFigure::paper},
       {"figure", "figure", &PaperFigure::number},
       {"place", "place", &PaperFigure::place},
       {"shows", "shows", &PaperFigure::shows},
       {"drawn_from", "drawn from", [](auto& figure) { return text_cell(figure.drawn_from); }},
       {"with_own_runs", "with own runs", has_own},
       {"command", "own runs by", [](auto& figure) { return text_cell(figure.command); }},
       {"note", "note", [](auto& figure) { return text_cell(figure.note); }}},
      figures);
}

/// Says from what the paper's part and the user's part of a figure were made.
std::string caption_of(const PaperFigure& figure) {
  std::string text =
      figure.drawn_from.empty() ? "The paper's figure is not drawn" : "Paper: " + figure.drawn_from;
  if (figure.drawn_from.starts_with("table")) text += ", " + figure.place;
  if (!figure.note.empty()) text += ": " + figure.note;
  text += ". ";
  const bool of_transfers = figure.workloads.empty();
  if (!has_own(figure))
    return text + fmt::format("No {} of yours: `{}` makes some.",
                              of_transfers ? "transfers" : "runs", figure.command);
  text += of_transfers ? "Yours: kept results of lapcast transfer."
                       : "Yours: runs to their end in the store; only runs with the same arguments "
                         "and data are averaged.";
  if (figure.left_out > 0)
    text += fmt::format(" {} more of yours are too many to draw: choose some with --select.",
                        figure.left_out);
  return text;
}

Json series_json(const FigureSeries& series) {
  Json points = Json::array();
  for (const FigurePoint& point : series.points) {
    Json& each = points.emplace_back(Json{{"x", point.x}, {"y", point.y}});
    if (!point.label.empty()) each["label"] = point.label;
    if (point.deviation) each["deviation"] = *point.deviation;
  }
  return {{"name", series.name}, {"own", series.is_own}, {"points", std::move(points)}};
}

/// Returns the charts of the figures for the page.
Json charts_of(const std::vector<PaperFigure>& figures) {
  Json charts = Json::array();
  for (const PaperFigure& figure : figures) {
    if (figure.series.empty()) continue;
    Json& chart = charts.emplace_back(Json{{"paper", figure.paper},
                                           {"figure", figure.number},
                                           {"shows", figure.shows},
                                           {"caption", caption_of(figure)},
                                           {"kind", to_string(*figure.kind)},
                                           {"x", figure.x},
                                           {"y", figure.y},
                                           {"unit", figure.unit},
                                           {"series", Json::array()}});
    for (const FigureSeries& series : figure.series) chart["series"].push_back(series_json(series));
  }
  return charts;
}

}  // namespace

PapersPage papers_page(std::span<const Run> runs, std::span<const MeasuredTransfer> transfers,
                       Detail detail, const PageOrigin& origin) {
  std::vector<PaperFigure> figures = paper_figures();
  for (PaperFigure& figure : figures) {
    add_own_series(figure, runs);
    add_own_transfers(figure, transfers);
  }
  PapersPage page;
  for (const PaperFigure& figure : figures) {
    page.figures += figure.series.empty() ? 0 : 1;
    page.with_own += has_own(figure) ? 1 : 0;
  }
  Json papers = json_of({figures_table(figures)}, "report");
  papers["charts"] = charts_of(figures);
  page.document =
      page_document("The figures of the papers", "papers", std::move(papers), detail, origin);
  return page;
}

}  // namespace lapcast
