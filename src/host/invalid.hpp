#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "merklize/error.hpp"

namespace merklize::inline v0 {

/// The public function that runs on this thread, for the texts of errors: the outermost one, since a caller knows no
/// other. Stands first in a public function whose errors name it. A thread that works for a call takes the caller's
/// name over.
class PublicCall {
public:
    /// name  a literal; null: none
    explicit PublicCall(const char* name) noexcept : outer_(here_) {
        if (outer_ == nullptr) here_ = name;
    }
    ~PublicCall() { here_ = outer_; }
    PublicCall(const PublicCall&) = delete;
    PublicCall& operator=(const PublicCall&) = delete;

    /// The name; empty: none.
    static const char* name() noexcept { return current_ == nullptr ? "" : current_; }
    /// The name, or null: for a thread that takes it over.
    static const char* current() noexcept { return current_; }

private:
    static inline thread_local constinit const char* current_ = nullptr;
    const char*& here_ = current_;  // the thread's, which a shared library looks up by a call
    const char* outer_;
};

/// A wrong argument of the public function that runs. The text begins with the function's name.
[[noreturn]] inline void invalid_call(const std::string& rule) {
    throw Error(ErrorCode::invalid_argument, PublicCall::name(), rule);
}

/// The same, of one argument, by its name in the headers of C++: a rule such as "must be below 8, got 8".
/// texts/argument_words.hpp has the words of other languages.
[[noreturn]] inline void invalid_call(const std::string& argument, const std::string& rule) {
    throw Error(ErrorCode::invalid_argument, PublicCall::name(), argument, rule);
}

/// Every public function that takes a path calls this before anything else, because to the system an empty path is a
/// missing file, or the folder itself.
/// errors  invalid_argument (empty)
inline void refuse_empty_path(std::string_view path, const std::string& argument = "path") {
    if (path.empty()) invalid_call(argument, "must not be empty: it names no file");
}
template <class Paths>
void refuse_empty_paths(const Paths& paths) {
    for (std::size_t i = 0; i < paths.size(); i++)
        if (paths[i].empty()) refuse_empty_path({}, "paths[" + std::to_string(i) + "]");
}

/// A thing that is wrong by itself: a file, an unknown name. The text begins with the thing; faces put their function
/// in front.
[[noreturn]] inline void invalid(const std::string& rule) { throw Error(ErrorCode::invalid_argument, rule); }

}  // namespace merklize::inline v0
