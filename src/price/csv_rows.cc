#include "price/csv_rows.h"

#include <csv.h>

#include <algorithm>
#include <new>
#include <optional>

namespace lapcast {
namespace {

constexpr int kMaxLinesPerRow = 16;

/// Parses one row with libcsv.
class RowParser {
 public:
  RowParser() {
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  }
  ~RowParser() { csv_free(&parser_); }
  RowParser(const RowParser&) = delete;
  RowParser& operator=(const RowParser&) = delete;

  void start(CsvRow& row) {
    row_ = &row;
    fields_ = 0;
    ended_ = false;
  }
  /// Returns false when the text is not CSV; the parser must not be used again then.
  bool feed(std::string_view line) {
    return csv_parse(&parser_, line.data(), line.size(), on_field, on_row, this) == line.size();
  }
  bool finish() { return csv_fini(&parser_, on_field, on_row, this) == 0; }
  bool ended() const { return ended_; }
  /// Returns how many fields were read since start().
  std::size_t fields() const { return fields_; }

 private:
  /// Writes over the fields of the row before: their memory is used again.
  void add_field(std::string_view text) {
    std::vector<std::string>& fields = row_->fields;
    if (fields_ < fields.size())
      fields[fields_] = text;
    else
      fields.emplace_back(text);
    ++fields_;
  }
  static void on_field(void* text, std::size_t size, void* self) {
    static_cast<RowParser*>(self)->add_field({static_cast<const char*>(text), size});
  }
  static void on_row(int, void* self) { static_cast<RowParser*>(self)->ended_ = true; }

  csv_parser parser_{};
  CsvRow* row_ = nullptr;
  std::size_t fields_ = 0;
  bool ended_ = false;
};

/// Returns where the first line end begins, or the size of the text. It searches block after block
/// for each of the two characters, which is much faster than searching for either of them at once.
std::size_t line_end(std::string_view text) {
  constexpr std::size_t kBlock = 1024;
  for (std::size_t begin = 0; begin < text.size(); begin += kBlock) {
    const std::string_view block = text.substr(begin, kBlock);
    const std::size_t end = std::min(block.find('\n'), block.find('\r'));
    if (end != std::string_view::npos) return begin + end;
  }
  return text.size();
}

/// Returns the text up to and including its first line end.
std::string_view first_line(std::string_view text) {
  const std::size_t end = line_end(text);
  return text.substr(0, text.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
}

bool blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  bool next(CsvRow& row) {
    while (!rest_.empty() && blank(first_line(rest_))) skip_lines(1, first_line(rest_).size());
    if (rest_.empty()) return false;
    row.line = line_;
    row.damage.clear();
    if (!parser_) parser_.emplace();
    parser_->start(row);
    read(row);
    return true;
  }

 private:
  void read(CsvRow& row) {
    std::size_t used = 0;
    for (int lines = 1; lines <= kMaxLinesPerRow; ++lines) {
      const std::string_view line = first_line(rest_.substr(used));
      used += line.size();
      if (!parser_->feed(line)) return give_up(row, "a quote stands where none may stand");
      const bool at_end = used == rest_.size();
      if (at_end && !parser_->finish()) return give_up(row, "a quote is never closed");
      if (parser_->ended() || at_end) {
        row.fields.resize(parser_->fields());
        return skip_lines(lines, used);
      }
    }
    give_up(row, "a quote is not closed within 16 lines");
  }

  void give_up(CsvRow& row, const char* why) {
    row.fields.resize(parser_->fields());
    row.damage = why;
    parser_.reset();
    skip_lines(1, first_line(rest_).size());
  }

  void skip_lines(int lines, std::size_t bytes) {
    line_ += lines;
    rest_.remove_prefix(bytes);
  }

  std::string_view rest_;
  std::int64_t line_ = 1;
  std::optional<RowParser> parser_;
};

}  // namespace

void for_each_csv_row(std::string_view text, const std::function<void(const CsvRow&)>& call) {
  Reader reader(text);
  CsvRow row;
  while (reader.next(row)) call(row);
}

}  // namespace lapcast
