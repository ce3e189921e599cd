#include "serve/store_page.h"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/error.h"
#include "probe/ids_and_time.h"
#include "query/run_list.h"
#include "table/table.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostDocuments = 4;

SharedText json_of(const std::vector<Table>& tables) {
  return std::make_shared<const std::string>(json_text(tables, "serve"));
}

void check_that_it_exists(bool exists, const Change& change) {
  if (!exists) throw Error(ExitCode::usage, fmt::format("the store has no {} any more", change.id));
}

}  // namespace

StorePage::StorePage(std::filesystem::path store_file, ReportRequest request)
    : file_(std::move(store_file)),
      store_(Store::open_existing(file_)),
      request_(std::move(request)) {}

std::int64_t StorePage::version() {
  return store_.version();
}

void StorePage::forget_older() {
  const std::int64_t now = version();
  if (now != version_ || documents_.size() > kMostDocuments) documents_.clear();
  version_ = now;
}

SharedText StorePage::document(const std::string& name) {
  forget_older();
  SharedText& text = documents_[name];
  if (!text) {
    ReportRequest request = request_;
    request.ranking.selection.named = name;
    request.made_at = utc_now();
    text = std::make_shared<const std::string>(make_report(store_, request).document);
  }
  return text;
}

SharedText StorePage::runs() {
  return json_of({run_list(store_.list()), sweep_list(store_)});
}

void StorePage::apply(const Change& change) {
  Store store = Store::open(file_);
  const bool of_run =
      change.kind == Change::Kind::tag_run || change.kind == Change::Kind::remove_run;
  check_that_it_exists(of_run ? store.has(change.id) : store.sweep(change.id).has_value(), change);
  switch (change.kind) {
    case Change::Kind::tag_run:
      return store.tag_run(change.id, change.text);
    case Change::Kind::remove_run:
      return store.remove_run(change.id);
    case Change::Kind::name_sweep:
      return store.name_sweep(change.id, change.text);
    case Change::Kind::remove_sweep:
      return store.remove_sweep(change.id);
  }
}

}  // namespace lapcast
