#include "command/output/text.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace merklize::command {
namespace {

// Takes the beginning of a text, at most `width` characters: up to a space, or after a mark, in the second half;
// without one, all of them.
std::string take_line(std::string& text, std::size_t width) {
    if (width_of(text) <= width) return std::exchange(text, {});
    std::size_t end = 0, good = 0;
    for (std::size_t wrong = 0, n = 0; n < width; n++) {
        end += character_at(std::string_view(text).substr(end), wrong);
        if (2 * n >= width && std::string_view(" ,./_-").find(text[end - 1]) != std::string_view::npos) good = end;
    }
    if (text[end] == ' ' || good == 0) good = end;
    std::string line = text.substr(0, good);
    text.erase(0, good);
    line.erase(line.find_last_not_of(' ') + 1);
    text.erase(0, text.find_first_not_of(' '));
    return line;
}

}  // namespace

std::string table_row(std::vector<std::string> cells, std::span<const std::size_t> widths, std::string_view right) {
    std::string text;
    do {
        std::string line;
        for (std::size_t i = 0; i < cells.size(); i++) {
            const std::string part = take_line(cells[i], widths[i]);
            const std::string space(widths[i] - width_of(part), ' ');
            if (i != 0) line += "  ";
            line += i < right.size() && right[i] == 'r' ? space + part : part + space;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += (text.empty() ? "" : "\n") + line;
    } while (!std::ranges::all_of(cells, &std::string::empty));
    return text;
}

std::string table_text(const std::vector<std::vector<std::string>>& rows, std::string_view right, std::size_t width) {
    std::vector<std::size_t> widths(rows[0].size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); i++) widths[i] = std::max(widths[i], width_of(row[i]));
    constexpr std::size_t least = 10;
    for (std::size_t used = std::reduce(widths.begin(), widths.end(), 2 * (widths.size() - 1)); used > width; used--) {
        const auto widest = std::ranges::max_element(widths);
        if (*widest <= least) break;
        --*widest;
    }
    std::vector<std::string> rule;
    for (const std::size_t column : widths) rule.emplace_back(column, '-');
    std::string text = table_row(rows[0], widths, right) + "\n" + table_row(rule, widths, right);
    for (std::size_t i = 1; i < rows.size(); i++) text += "\n" + table_row(rows[i], widths, right);
    return text;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    const std::string margin(indent, ' ');
    std::string lines = margin;
    std::size_t used = indent;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        if (used != indent && used + 1 + width_of(word) > width) {
            lines += "\n" + margin;
            used = indent;
        } else if (used != indent) {
            lines += ' ';
            used++;
        }
        lines += word;
        used += width_of(word);
        text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
    return lines;
}

}  // namespace merklize::command
