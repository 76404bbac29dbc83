#include "host/names.hpp"

#include <algorithm>
#include <vector>

namespace merklize::runtime {
namespace {

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& letter : lower) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    return lower;
}

// How many letters must be put in, taken out, changed or swapped with their neighbours to make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); i++) {
        for (std::size_t k = 0; k <= b.size(); k++) {
            std::size_t& least = steps[i][k];
            least = std::max(i, k);
            if (i == 0 || k == 0) continue;
            least = std::min({steps[i - 1][k] + 1, steps[i][k - 1] + 1, steps[i - 1][k - 1] + (a[i - 1] != b[k - 1])});
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                least = std::min(least, steps[i - 2][k - 2] + 1);
        }
    }
    return steps[a.size()][b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names) {
    constexpr std::size_t longest = 64;
    if (typed.empty() || typed.size() > longest) return {};
    const std::string text = lower_case(typed);
    std::string_view nearest;
    std::size_t least = text.size() / 3 + 2;
    for (const std::string_view name : names) {
        // A short name with another first letter is another name: gpu is no mistake for cpu.
        if (text.size() <= 3 && !name.starts_with(text[0])) continue;
        const std::size_t distance =
            name.starts_with(text) ? std::min<std::size_t>(1, name.size() - text.size()) : edit_distance(name, text);
        const bool is_nearer = distance < least || (distance == least && name.size() < nearest.size());
        if (is_nearer && distance < name.size()) nearest = name, least = distance;
    }
    return nearest;
}

std::string unknown_name(std::string_view what, std::string_view typed, std::span<const std::string_view> known) {
    constexpr std::size_t most = 200;  // bytes: a name may come out of a file
    std::size_t shown = std::min(typed.size(), most);
    while (shown > 0 && shown < typed.size() && (typed[shown] & 0xc0) == 0x80) shown--;  // not inside a character
    const std::string rest = shown < typed.size() ? "..." : "";
    typed = typed.substr(0, shown);
    std::string text = "unknown " + std::string(what) + " '" + std::string(typed) + rest + "'; ";
    const std::string_view nearest = nearest_name(typed, known);
    if (!nearest.empty()) text += "did you mean '" + std::string(nearest) + "'? ";
    text += "known: ";
    for (std::size_t i = 0; i < known.size(); i++) text += (i == 0 ? "" : ", ") + std::string(known[i]);
    return text;
}

}  // namespace merklize::runtime
