#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "texts/text.hpp"

namespace merklize::command {

using namespace texts;

/// Aligned columns, the first row being the head. `right` has an "r" in the place of each column to align right. What does not fit into
/// `width` goes on in the next line: the widest columns are made narrower.
std::string table_text(const std::vector<std::vector<std::string>>& rows, std::string_view right,
                       std::size_t width = 80);

/// One row of such a table, in as many lines as its longest cell needs.
std::string table_row(std::vector<std::string> cells, std::span<const std::size_t> widths, std::string_view right);

/// Lines of at most `width` characters, each behind `indent` spaces; words are not cut.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace merklize::command
