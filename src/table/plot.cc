#include "table/plot.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/display_width.h"

namespace lapcast {
namespace {

constexpr std::size_t kBetween = 2;  // columns between those of a table

std::string braille(std::uint8_t dots) {
  if (dots == 0) return " ";
  return {'\xe2', static_cast<char>(0xa0 + (dots >> 6)), static_cast<char>(0x80 + (dots & 63))};
}

/// Returns the ASCII character for an upper and a lower dot.
std::string ascii_dots(std::uint8_t dots) {
  constexpr const char* kDots[] = {" ", "'", ".", ":"};
  return kDots[dots & 3];
}

}  // namespace

std::size_t PlotScale::step_of(double value) const {
  if (!(high_ > low_) || std::isnan(value)) return 0;
  const double share = is_log_ ? std::log(std::max(value, low_) / low_) / std::log(high_ / low_)
                               : (value - low_) / (high_ - low_);
  return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * last_step_));
}

std::string drawn_interval(const Interval<double>& interval, const PlotScale& scale, bool ascii,
                           bool is_measured) {
  const char* const mark = ascii ? "o" : is_measured ? "\u25CF" : "\u25CB";
  const char* const line = ascii ? (is_measured ? "-" : ".") : is_measured ? "\u2500" : "\u2504";
  const std::size_t low = scale.step_of(interval.low);
  const std::size_t mid = scale.step_of(interval.mid);
  const std::size_t high = scale.step_of(interval.high);
  std::string text(low, ' ');
  for (std::size_t i = low; i <= high; ++i) {
    if (i == mid)
      text += mark;
    else if (i == low)
      text += ascii ? "|" : "\u251C";
    else if (i == high && std::isinf(interval.high))
      text += ">";
    else if (i == high)
      text += ascii ? "|" : "\u2524";
    else
      text += line;
  }
  return text;
}

std::string drawn_bar(double share, std::size_t columns, bool ascii) {
  if (!(share > 0)) return "";
  const double length = std::min(share, 1.0) * static_cast<double>(columns);
  if (ascii) return std::string(std::max<std::size_t>(1, std::lround(length)), '#');
  std::size_t eighths = std::max<std::size_t>(1, std::lround(length * 8));
  std::string text;
  for (; eighths >= 8; eighths -= 8) text += "\u2588";
  if (eighths > 0) text += {'\xe2', '\x96', static_cast<char>(0x90 - eighths)};
  return text;
}

std::string drawn_series(std::span<const double> shares, std::size_t columns, bool ascii) {
  std::string text;
  const std::size_t drawn = std::min(columns, shares.size());
  for (std::size_t column = 0; column < drawn; ++column) {
    const std::size_t begin = column * shares.size() / drawn;
    const std::size_t end = (column + 1) * shares.size() / drawn;
    double sum = 0;
    for (const double share : shares.subspan(begin, end - begin)) sum += share;
    const double mean = std::clamp(sum / static_cast<double>(end - begin), 0.0, 1.0);
    const double highest = ascii ? 9 : 7;
    const auto level = static_cast<char>(mean > 0 ? std::max(1L, std::lround(mean * highest)) : 0);
    if (ascii)
      text += static_cast<char>('0' + level);
    else
      text += {'\xe2', '\x96', static_cast<char>('\x81' + level)};  // U+2581 to U+2588
  }
  return text;
}

std::string ends_of_scale(const std::string& low, const std::string& high, std::size_t columns) {
  const std::size_t both = display_width(low) + display_width(high);
  return low + std::string(both < columns ? columns - both : 1, ' ') + high;
}

DotCanvas::DotCanvas(std::size_t columns, std::size_t rows, bool ascii)
    : columns_(columns),
      rows_(rows),
      ascii_(ascii),
      dots_(columns * rows, 0),
      over_(columns * rows) {}

void DotCanvas::dot(std::size_t x, std::size_t y) {
  if (x >= width() || y >= height()) return;
  const std::size_t from_above = height() - 1 - y;
  if (ascii_) {
    dots_[from_above / 2 * columns_ + x] |= static_cast<std::uint8_t>(1U << (from_above % 2));
    return;
  }
  constexpr std::uint8_t kBits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
  dots_[from_above / 4 * columns_ + x / 2] |= kBits[x % 2][from_above % 4];
}

void DotCanvas::put(std::size_t row, const std::string& text) {
  std::string_view rest = text;
  for (std::size_t column = 0; column < columns_ && !rest.empty(); ++column) {
    const std::size_t length = std::max<std::size_t>(1, decode_utf8(rest).length);
    const std::string_view character = rest.substr(0, length);
    if (character != " ") over_[(rows_ - 1 - row) * columns_ + column] = character;
    rest.remove_prefix(length);
  }
}

std::vector<std::string> DotCanvas::lines() const {
  std::vector<std::string> lines;
  for (std::size_t row = 0; row < rows_; ++row) {
    std::string& line = lines.emplace_back();
    for (std::size_t i = row * columns_; i < (row + 1) * columns_; ++i)
      line += !over_[i].empty() ? over_[i] : ascii_ ? ascii_dots(dots_[i]) : braille(dots_[i]);
    line.erase(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

std::size_t plot_columns(const PlotAxes& axes, const PlotStyle& style) {
  const std::size_t beside =
      kBetween +
      std::max({display_width(axes.y_name), display_width(axes.y_low), display_width(axes.y_high)});
  return std::max<std::size_t>(20, style.width - std::min(style.width, beside));
}

Table plot_table(std::string title, const PlotAxes& axes, std::span<const std::string> lines,
                 std::size_t columns) {
  const auto label = [&](const std::string& line) {
    const bool is_first = &line == &lines.front();
    return is_first ? axes.y_high : &line == &lines.back() ? axes.y_low : std::string();
  };
  return table_of<std::string>(
      "", std::move(title),
      {{"", axes.y_name, label},
       {"", ends_of_scale(axes.x_low, axes.x_high, columns), [](auto& line) { return line; }}},
      lines);
}

}  // namespace lapcast
