#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "command/hash/job.hpp"
#include "texts/json.hpp"

namespace merklize::command {

/// The forms in which `merklize hash` writes results.

/// Whether a list of such digests can have the file's name. If not, its line has U+FFFD.
bool can_be_listed(const HashResult& result, const HashJob& job);
/// Writes the line of b3sum or sha256sum. Failures have no line; they are reported on standard error.
/// tag  of the hash; empty: a plain line
void write_line(Call& call, const HashResult& result, const HashJob& job, bool names, std::string_view tag);
/// Writes the bytes of the digest and nothing else.
void write_raw(Call& call, const HashResult& result, const HashJob& job);

/// Writes {"files": [...]} entry by entry, so that a list of millions of files is never in memory. The times come at
/// the end.
class JsonList {
public:
    explicit JsonList(Call& call) : call_(call) {}
    void put(const json::Object& entry);
    void put(const HashResult& result, const HashJob& job);
    void finish(const HashJob& job);

private:
    void begin_entry();

    Call& call_;
    bool is_empty_ = true;
};

}  // namespace merklize::command
