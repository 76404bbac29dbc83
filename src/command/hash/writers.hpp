#pragma once

#include <functional>
#include <string>

#include "command/hash/job.hpp"
#include "texts/json.hpp"

namespace merklize::command {

/// The forms in which `merklize hash` writes results.

/// b3sum's line. Failures have no line; they are reported on standard error.
void write_line(Call& call, const HashResult& result, const HashJob& job, bool names, bool tag);
/// The bytes of the digest and nothing else.
void write_raw(Call& call, const HashResult& result, const HashJob& job);

/// {"files": [...]}, entry by entry: a list of millions of files is never held. The times come at the end.
class JsonList {
public:
    explicit JsonList(Call& call) : call_(call) {}
    void put(const json::Object& entry);
    void put(const HashResult& result, const HashJob& job);
    void finish(const HashJob& job);

private:
    Call& call_;
    bool is_empty_ = true;
};

}  // namespace merklize::command
