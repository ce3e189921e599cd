#pragma once

#include <map>
#include <string>
#include <string_view>

namespace lapcast {

// The files of web/ and Plotly are part of the binary.

/// Returns web/page.html, which has the placeholders that report_page() fills.
std::string_view web_page();
std::string_view web_style();
/// Returns all scripts of web/, joined in the order of their paths.
std::string_view web_scripts();
/// Returns Plotly's JavaScript as a raw deflate stream (RFC 1951); empty if this lapcast was built
/// without it.
std::string_view plotly_deflated();
/// Returns the text of Plotly's licence; empty without Plotly.
std::string_view plotly_licence();

/// Returns plotly_deflated() in base64, as in the pages.
std::string plotly_base64();

/// Makes JSON safe for a script element of HTML: no text in it can end the element or begin
/// another, and U+2028 and U+2029 are escaped.
std::string safe_in_html(std::string_view json);

/// Returns a template with each {{NAME}} replaced by its value. Inserted values are not searched
/// again.
std::string filled_template(std::string_view page,
                            const std::map<std::string_view, std::string>& values);

/// Returns a whole page: web_page() with its placeholders filled. `document` is the JSON text of
/// its content.
std::string report_page(std::string_view document);

}  // namespace lapcast
