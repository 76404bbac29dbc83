#pragma once

#include <string_view>

namespace merklize::texts {

/// The words of an argument. Rust has those of C.
struct ArgumentWords {
    std::string_view cpp, c, python;
};

/// The arguments that a language calls otherwise than C++. Texts of errors have the word of the language that was
/// called.
inline constexpr ArgumentWords argument_words[] = {
    {"leaf_bytes", "leaf_bytes", "leaf_size"}, {"mode", "mode", "key and context"},         {"n_rows", "n", "rows"},
    {"row_bytes", "leaf_bytes", "row_size"},   {"total_bytes", "total_bytes", "file_size"},
};

/// The word of a language for an argument of C++: the argument itself if all have one word.
constexpr std::string_view argument_word(std::string_view ArgumentWords::* language,
                                         std::string_view argument) noexcept {
    for (const ArgumentWords& words : argument_words)
        if (words.cpp == argument) return words.*language;
    return argument;
}

}  // namespace merklize::texts
