#pragma once

#include <string>
#include <string_view>

namespace lapcast {

/// Returns web/notebook.ipynb, the cells of every notebook without values.
std::string_view notebook_template();

/// Returns a Jupyter notebook (nbformat 4.5) of a report. `document` is the report's JSON text. It
/// lies in the metadata of the notebook, from where the cells read it: of the source of a cell only
/// a key depends on it, 16 hex digits by which the cells find the file that holds their values.
/// Throws Error (bad input) for a text that is not JSON.
std::string notebook_text(std::string_view document);

}  // namespace lapcast
