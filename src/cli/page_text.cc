#include "cli/page_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/display_width.h"
#include "machine/proc_text.h"

namespace lapcast {
namespace {

constexpr std::string_view kIndent = "  ";   // of code and between columns
constexpr std::size_t kNarrowestColumn = 7;  // of a table

/// Returns how to follow a link: "(lapcast help store.md)" for a page, "(https://...)"; empty for a
/// place within the page and for files that are not part of the binary.
std::string link_advice(std::string_view text, std::string_view target) {
  if (target.starts_with("http")) return fmt::format("{} ({})", text, target);
  std::string_view page = target.substr(0, target.find('#'));
  const std::size_t folder = page.rfind('/');
  if (!page.ends_with(".md")) return std::string(text);
  if (folder != page.npos && !page.substr(0, folder).ends_with("docs")) return std::string(text);
  page.remove_prefix(folder + 1);  // npos + 1 is 0
  if (text == page) return fmt::format("lapcast help {}", page);
  return fmt::format("{} (lapcast help {})", text, page);
}

/// Returns the link at the front of the text as it is displayed, and its length in the text in
/// bytes; 0 if there is none.
std::pair<std::string, std::size_t> link_at(std::string_view text) {
  if (text.front() != '[') return {"", 0};
  const std::size_t middle = text.find("](");
  const std::size_t end = middle == text.npos ? text.npos : text.find(')', middle);
  if (end == text.npos || text.substr(1, middle - 1).find('[') != text.npos) return {"", 0};
  return {link_advice(text.substr(1, middle - 1), text.substr(middle + 2, end - middle - 2)),
          end + 1};
}

/// Returns a line without Markdown's marks. Code stays between its backticks.
std::string without_marks(std::string_view text) {
  std::string plain;
  bool in_code = false;
  while (!text.empty()) {
    std::size_t used = 1;
    if (text.front() == '`') in_code = !in_code;
    if (text.front() == '\\' && text.size() > 1 && (!in_code || text[1] == '|')) {
      plain += text[1];
      used = 2;
    } else if (!in_code && text.starts_with("**")) {
      used = 2;
    } else if (const auto [link, bytes] = link_at(text); bytes > 0 && !in_code) {
      plain += link;
      used = bytes;
    } else {
      plain += text.front();
    }
    text.remove_prefix(used);
  }
  return plain;
}

using Row = std::vector<std::string>;

/// Returns the cells of a line "| a | b |".
Row cells_of(std::string_view line) {
  Row cells;
  line.remove_prefix(1);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '|' || (i > 0 && line[i - 1] == '\\')) continue;
    cells.push_back(without_marks(trimmed(line.substr(begin, i - begin))));
    begin = i + 1;
  }
  return cells;
}

bool is_rule(const Row& row) {
  return std::ranges::all_of(
      row, [](const std::string& cell) { return cell.find_first_not_of("-: ") == cell.npos; });
}

/// Returns column widths that add up to at most `width`; the widest columns are narrowed.
std::vector<std::size_t> fitting_widths(const std::vector<Row>& rows, std::size_t width) {
  std::vector<std::size_t> widths(rows.front().size(), 1);
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  const auto sum = [&] {
    return std::accumulate(widths.begin(), widths.end(), kIndent.size() * (widths.size() - 1));
  };
  for (std::size_t now = sum(); now > width; now = sum()) {
    const auto widest = std::ranges::max_element(widths);
    if (*widest <= kNarrowestColumn) break;
    --*widest;
  }
  return widths;
}

/// Lays out a page of Markdown.
class PageWriter {
 public:
  PageWriter(std::size_t width, bool colour) : width_(width), colour_(colour) {}

  void add(std::string_view line) {
    if (line.starts_with("```")) {
      flush();
      in_code_ = !in_code_;
    } else if (in_code_ || is_indented_code(line)) {
      add_code(line);
    } else if (line.starts_with("<!--")) {  // comments for authors
      flush();
    } else if (trimmed(line).empty()) {
      flush();
      text_ += "\n";
    } else if (line.starts_with('#')) {
      flush();
      const std::string_view heading = line.substr(line.find_first_not_of('#'));
      for (const std::string& part : wrapped(without_marks(trimmed(heading)), width_))
        text_ += bold(part) + "\n";
    } else if (line.starts_with('|')) {
      add_row(line);
    } else {
      add_prose(line);
    }
  }

  std::string take() {
    flush();
    return std::move(text_);
  }

 private:
  std::string bold(const std::string& text) const {
    return colour_ ? "\x1b[1m" + text + "\x1b[0m" : text;
  }

  bool is_indented_code(std::string_view line) const {
    return line.starts_with("    ") && prose_.empty() && rows_.empty();
  }

  void add_code(std::string_view line) {
    for (const std::string& part : wrapped(line, width_ - kIndent.size()))
      text_ += part.empty() ? "\n" : std::string(kIndent) + part + "\n";
  }

  /// Adds a line of a paragraph, or of an item of a list, whose mark hangs in front of it.
  void add_prose(std::string_view line) {
    const std::size_t indent = line.find_first_not_of(' ');
    const std::string_view rest = line.substr(indent);
    const std::size_t digits = rest.find_first_not_of("0123456789");
    std::size_t mark = rest.starts_with("- ") || rest.starts_with("* ") ? 2 : 0;
    if (digits != rest.npos && digits > 0 && rest.substr(digits).starts_with(". "))
      mark = digits + 2;
    if (mark > 0) {
      flush();
      mark_ = std::string(indent, ' ') + std::string(rest.substr(0, mark));
    } else if (!rows_.empty()) {
      flush();
    }
    prose_ += (prose_.empty() ? "" : " ") + std::string(trimmed(rest.substr(mark)));
  }

  void add_row(std::string_view line) {
    if (!prose_.empty()) flush();
    Row row = cells_of(line);
    if (is_rule(row)) return;
    if (!rows_.empty()) row.resize(rows_.front().size());
    rows_.push_back(std::move(row));
  }

  void flush() {
    if (!prose_.empty()) write_prose();
    if (!rows_.empty()) write_table();
    prose_.clear();
    mark_.clear();
    rows_.clear();
  }

  void write_prose() {
    const std::string hang(mark_.size(), ' ');
    const std::string* front = &mark_;
    for (const std::string& part : wrapped(without_marks(prose_), width_ - mark_.size())) {
      text_ += *front + part + "\n";
      front = &hang;
    }
  }

  void write_table() {
    const std::vector<std::size_t> widths = fitting_widths(rows_, width_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const bool is_head = i == 0;
      write_row(rows_[i], widths, is_head);
      if (!is_head) continue;
      std::string rule;
      for (const std::size_t width : widths)
        rule += (rule.empty() ? "" : std::string(kIndent)) + std::string(width, '-');
      text_ += rule + "\n";
    }
  }

  void write_row(const Row& row, const std::vector<std::size_t>& widths, bool is_head) {
    std::vector<Row> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(wrapped(row[i], widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t y = 0; y < height; ++y) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = y < cells[i].size() ? cells[i][y] : "";
        line += cell + std::string(widths[i] - display_width(cell), ' ');
        if (i + 1 < cells.size()) line += kIndent;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text_ += (is_head ? bold(line) : line) + "\n";
    }
  }

  std::size_t width_;
  bool colour_;
  std::string text_;
  bool in_code_ = false;
  std::string prose_;      // of the paragraph or item that is read
  std::string mark_;       // of the item, "- "
  std::vector<Row> rows_;  // of the table that is read, the headers first
};

}  // namespace

std::string page_text(std::string_view markdown, std::size_t width, bool colour) {
  PageWriter writer(width, colour);
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    writer.add(markdown.substr(0, end));
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
  }
  return writer.take();
}

}  // namespace lapcast
