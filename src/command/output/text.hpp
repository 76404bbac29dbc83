#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "texts/text.hpp"

namespace merklize::command {

using namespace texts;

/// A table with aligned columns; the first row is the head. `right` has an "r" at the position of each column that is
/// aligned right. If a row does not fit into `width`, the widest columns are made narrower and their cells take several
/// lines.
std::string table_text(const std::vector<std::vector<std::string>>& rows, std::string_view right,
                       std::size_t width = 80);

/// One row of such a table, in as many lines as its longest cell needs.
std::string table_row(std::vector<std::string> cells, std::span<const std::size_t> widths, std::string_view right);

/// Lines of at most `width` characters, each after `indent` spaces. Words are not cut.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace merklize::command
