#include "command/hash/writers.hpp"

#include "command/hash/check_line.hpp"
#include "command/output/output.hpp"

namespace merklize::command {

bool can_be_listed(const HashResult& result, const HashJob& job) {
    return job.is_xet || can_be_listed(result.path, job.hash);
}

void write_line(Call& call, const HashResult& result, const HashJob& job, bool names, std::string_view tag) {
    if (!result.error.empty()) return;
    thread_local std::string text, after;
    text.clear();
    after.clear();
    if (names) {
        append_frame(can_be_listed(result, job) ? result.path : display(result.path), tag, text, after);
    } else {
        after = "\n";
    }
    each_piece(result, job, [&](std::span<const std::byte> piece) {
        append_hex(text, piece);
        call.write(text);
        text.clear();
    });
    call.write(after);
}

void write_raw(Call& call, const HashResult& result, const HashJob& job) {
    if (result.error.empty()) each_piece(result, job, [&](std::span<const std::byte> piece) { call.write(piece); });
}

void JsonList::put(const json::Object& entry) {
    begin_entry();
    call_.write(entry.done());
}

void JsonList::put(const HashResult& result, const HashJob& job) {
    json::Object entry;
    entry.name("name", result.path);
    if (!result.error.empty()) return put(entry.text("error", result.error));
    // The digits are written piece by piece, because they may be longer than the memory.
    std::string text = entry.text("hash", "").done();
    text.erase(text.size() - 2);  // the end of the string and of the object
    begin_entry();
    each_piece(result, job, [&](std::span<const std::byte> piece) {
        append_hex(text, piece);
        call_.write(text);
        text.clear();
    });
    call_.write(text + "\", " + json::Object().number("length", job.length).number("seek", job.seek).done().substr(1));
}

void JsonList::begin_entry() {
    call_.write(is_empty_ ? "{\"files\": [\n  " : ",\n  ");
    is_empty_ = false;
}

void JsonList::finish(const HashJob& job) {
    call_.write(is_empty_ ? "{\"files\": []" : "\n]");
    if (job.timed) call_.write(", \"timings\": " + timings_json(job.times));
    call_.write("}\n");
}

}  // namespace merklize::command
