// Numbers, sizes, text and JSON of the command line.
#include <string>
#include <vector>

#include "command/endings.hpp"
#include "command/line/values.hpp"
#include "command/output/progress.hpp"
#include "command/output/text.hpp"
#include "support.hpp"
#include "texts/json.hpp"
#include "texts/json_reader.hpp"

using namespace merklize::command;
namespace json = merklize::json;

namespace {

// Whether a text is valid JSON, or the reason why it is not.
std::string why_no_json(const std::string& text) {
    try {
        json::read(text);
        return "";
    } catch (const merklize::Error& error) {
        return error.what();
    }
}

}  // namespace

TEST("values: bytes, times and counts as people read them") {
    CHECK_EQ(human_bytes(0), "0 bytes");
    CHECK_EQ(human_bytes(1023), "1023 bytes");
    CHECK_EQ(human_bytes(1536), "1.5 KiB");
    CHECK_EQ(human_bytes(1 << 20), "1 MiB");
    CHECK_EQ(human_bytes(0x1p42 + 0x1p40), "5 TiB");
    CHECK_EQ(human_bytes(0x1p60), "1.049e+06 TiB");
    CHECK_EQ(human_time(2), "2 s");
    CHECK_EQ(human_time(0.0015), "1.5 ms");
    CHECK_EQ(human_time(7e-6), "7 us");
    CHECK_EQ(human_count(1), "1");
    CHECK_EQ(human_count(123), "123");
    CHECK_EQ(human_count(1048576), "1,048,576");
}

TEST("values: tables") {
    CHECK_EQ(table_text({{"a", "bb"}, {"ccc", "d"}}, " r"), "a    bb\n---  --\nccc   d");
    CHECK_EQ(table_text({{"a", "b"}, {"\u00fc\u00fc", ""}}, ""), "a   b\n--  -\n\u00fc\u00fc");
}

TEST("values: a table that is too wide goes on in the next line") {
    CHECK_EQ(table_text({{"name", "n"}, {"one two three", "1"}, {"abcdefghijklm", "2"}}, " r", 13),
             "name        n\n----------  -\none two     1\nthree\nabcdefghij  2\nklm");
    const std::string name = "model.layers.0.self_attn.q_proj.weight.and.more", policy = "group_size=64,lanes=1";
    const std::string text = table_text({{"a", "b", "c"}, {name, std::string(64, 'f'), policy}}, "");
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        CHECK(width_of(text.substr(at, end - at)) <= 80);
        at = end + 1;
    }
    CHECK(text.find("model.layers.0.self_attn.") != text.npos);  // behind a mark
}

TEST("values: a line of a progress bar fits the terminal, and says bytes and rate") {
    const BarState half{.what = "hashing", .done = 1, .parts = 2, .bytes = 3 << 20, .seconds = 2, .columns = 80};
    const std::string text = bar_text(half), end = "  50% 0:00:02, 3 MiB, 1.5 MiB/s";
    CHECK(text.ends_with(end));
    CHECK(text.starts_with("hashing \u2501"));
    CHECK_EQ(width_of(text), 79u);
    for (std::size_t columns = 20; columns < 200; columns++) {
        BarState state = half;
        state.columns = columns;
        const std::string line = bar_text(state);
        CHECK(width_of(line) < columns);
        CHECK(line.starts_with("hashing"));
        CHECK_EQ(line.find("\u2501") != line.npos, columns > 7 + 1 + 5 + end.size());
        CHECK_EQ(line.ends_with(end), columns > 7 + end.size());
    }
    CHECK_EQ(bar_text({.what = "checking", .done = 7, .parts = 0}), "checking: 7 done");
    CHECK(bar_text({.what = "hashing", .done = 0, .parts = 1}).ends_with("   0%"));
    CHECK(bar_text({.what = "x", .done = 9, .parts = 3}).find("100%") != std::string::npos);
}

TEST("values: text that is no UTF-8 and text that is not seen") {
    CHECK_EQ(display("i\xffv"), "i\ufffdv");
    CHECK_EQ(display("\xe2\x82"), "\ufffd");  // one replacement character for a truncated sequence
    CHECK_EQ(display("\xf0\x9f\x98 x"), "\ufffd x");
    CHECK_EQ(display("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");  // a surrogate
    CHECK_EQ(display("\xc0\x80"), "\ufffd\ufffd");
    CHECK(is_utf8("\U0010ffff"));
    CHECK(!is_utf8("\xf4\x90\x80\x80"));
    CHECK_EQ(sentence("a\nb\x1b\u2028\u00fc\U000e0001"), "a\\nb\\x1b\\u2028\u00fc\\U000e0001");
}

TEST("values: JSON is written as Python writes it") {
    CHECK_EQ(json::text("a\"\\\n\x01\u00fc\U0001f600"), "\"a\\\"\\\\\\n\\u0001\\u00fc\\ud83d\\ude00\"");
    json::Object object;
    object.text("a", "b").number("n", 3u).number("t", true).put("l", json::Array().put("1").put("2").done());
    CHECK_EQ(object.done(), "{\"a\": \"b\", \"n\": 3, \"t\": true, \"l\": [1, 2]}");
    CHECK_EQ(json::indented(object.done()),
             "{\n  \"a\": \"b\",\n  \"n\": 3,\n  \"t\": true,\n  \"l\": [\n    1,\n    2\n  ]\n}");
    CHECK_EQ(json::indented("{\"a\": [], \"b\": {}}"), "{\n  \"a\": [],\n  \"b\": {}\n}");
    json::Object named;
    named.name("name", "i\xffv");
    CHECK_EQ(named.done(), "{\"name\": \"i\\ufffdv\", \"name_hex\": \"69ff76\"}");
}

TEST("values: JSON is read, and what is none is refused") {
    const json::Value value = json::read(R"( {"b": [null, true], "a": 18446744073709551615} )");
    const auto* members = value.as<json::Members>();
    CHECK(members != nullptr && members->size() == 2);
    CHECK_EQ(*(*members)[1].second.as<std::uint64_t>(), UINT64_MAX);
    const json::Value list = json::read(R"(["x\u00fc\ud83d\ude00\n", -1, 1.5e3, 18446744073709551616])");
    const json::Items& items = *list.as<json::Items>();
    CHECK_EQ(*items[0].as<std::string>(), "x\u00fc\U0001f600\n");
    for (std::size_t i = 1; i < 4; i++) CHECK(items[i].as<json::Other>() != nullptr);
    for (const char* good : {"{}", "[]", "0", "-0", "1e5", "\"\"", "[[],{}]", "\"\\ud83d\\ude00\""})
        CHECK_EQ(why_no_json(good), "");
    for (const char* bad : {"",      "{",   "[1,]", "{\"a\" 1}",   "{a: 1}",         "01",        "1.",
                            "1e",    "+1",  "tru",  "\"\\x\"",     "\"\n\"",         "\"\\u12\"", "1 2",
                            "nullx", "'a'", "-",    "\"\\ud800\"", "\xef\xbb\xbf{}", "NaN"}) {
        CHECK(why_no_json(bad).starts_with("not JSON: "));
    }
    for (const char* twice : {R"({"a": 1, "b": 2, "a": 1})", R"({"a": 1, "\u0061": 2})", R"([{"": {"a": 1, "a": 1}}])"})
        CHECK_EQ(why_no_json(twice), "the key 'a' is there twice");
    CHECK_EQ(why_no_json("[\xff"), "must be UTF-8, byte 1 is not");
    CHECK(why_no_json(std::string(100000, '[')).find("nested") != std::string::npos);
}
