#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "pages/report.h"
#include "serve/page_source.h"
#include "store/store.h"

namespace lapcast {

/// Gives the server what a store holds.
class StorePage : public PageSource {
 public:
  /// Opens the store for reading; it is written only by apply(). `request` says how reports look;
  /// its selection is that of the page without a name. Throws Error (store) when there is no store.
  StorePage(std::filesystem::path store_file, ReportRequest request);

  std::int64_t version() override;
  SharedText document(const std::string& name) override;
  SharedText runs() override;
  void apply(const Change& change) override;

 private:
  void forget_older();

  std::filesystem::path file_;
  Store store_;
  ReportRequest request_;
  std::int64_t version_ = 0;                     // of the documents
  std::map<std::string, SharedText> documents_;  // by name, kMostDocuments + 1 at most
};

}  // namespace lapcast
