#pragma once

#include <string>
#include <string_view>

namespace lapcast {

/// Returns web/notebook.ipynb, the cells of every notebook without values.
std::string_view notebook_template();

/// Returns a Jupyter notebook (nbformat 4.5) of a report. `document` is the report's JSON text. It
/// is stored in the metadata of the notebook, from where the cells read it: of a cell's source only
/// a key of 16 hex digits depends on it, by which the cell finds the file with its values. Throws
/// Error (bad input) for a text that is not JSON.
std::string notebook_text(std::string_view document);

}  // namespace lapcast
