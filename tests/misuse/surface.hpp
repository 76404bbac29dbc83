#pragma once

// What runs the rows of tests/vectors/surface.json through the functions of a language: results and texts of errors,
// which are the same in all languages.

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <merklize/merklize.h>

#include "json.hpp"
#include "support.hpp"

namespace surface {

using namespace support;

/// The arguments of a row. One that the runner does not ask for is a failure.
class Arguments {
public:
    explicit Arguments(const json::Value& with) : with_(with) {}

    bool has(const std::string& name) const { return with_.members.contains(name); }
    const json::Value& operator[](const std::string& name) {
        asked_.insert(name);
        return with_[name];
    }
    std::uint64_t number(const std::string& name, std::uint64_t otherwise = 0) {
        asked_.insert(name);
        return has(name) ? with_[name].number : otherwise;
    }
    std::string text(const std::string& name) {
        asked_.insert(name);
        return has(name) ? with_[name].text : std::string();
    }
    Bytes bytes(const std::string& name) { return pattern(number(name)); }
    /// Items as they are listed, or 1, 2, ... for a number of them. NAME_at: a place, and the item there.
    std::vector<std::uint64_t> words(const std::string& name) {
        std::vector<std::uint64_t> words = (*this)[name].numbers();
        for (std::uint64_t i = words.size(); i < number(name); i++) words.push_back(i + 1);
        if (has(name + "_at")) words.at((*this)[name + "_at"].items[0].number) = with_[name + "_at"].items[1].number;
        return words;
    }
    std::vector<Bytes> messages() {
        std::vector<Bytes> messages;
        for (const std::uint64_t n : (*this)["messages"].numbers()) messages.push_back(pattern(n));
        return messages;
    }
    Hash hash() { return has("hash") ? merklize::hash_from_name((*this)["hash"].text) : Hash::blake3; }
    merklize::Field field() {
        const std::string name = text("field");
        return name == "koalabear"  ? merklize::Field::koalabear
               : name == "babybear" ? merklize::Field::babybear
                                    : merklize::Field::goldilocks;
    }
    /// A file of these bytes; without `file` one that is not there.
    std::filesystem::path path() {
        if (!has("file")) return "/nowhere/file";
        if (!folder_) folder_.emplace();
        return folder_->write("input", bytes("file"));
    }

    std::string not_asked() const {
        for (const auto& [name, value] : with_.members)
            if (!asked_.contains(name)) return name;
        return {};
    }

private:
    const json::Value& with_;
    std::set<std::string> asked_;
    std::optional<TemporaryFolder> folder_;
};

inline Digest digest(std::uint64_t i) {
    Digest digest;
    if (i == 255) digest.bytes.fill(std::byte{0xff});
    digest.bytes[0] = static_cast<std::byte>(i);
    return digest;
}

inline std::vector<Digest> some(std::uint64_t n) {
    std::vector<Digest> digests;
    for (std::uint64_t i = 0; i < n; i++) digests.push_back(digest(i));
    return digests;
}

inline std::string text_of(std::span<const Digest> digests) {
    std::string text;
    for (const Digest& digest : digests) text += digest.hex();
    return text;
}

inline std::string blake3(std::span<const std::byte> data) { return merklize::hash(data).hex(); }

using Call = std::function<std::string(Arguments&)>;

/// A call of C that failed: merklize_last_error() has the text.
struct Failed {
    merklize_status status;
};

inline bool is_text(std::string_view got, std::string_view text) {
    return text.ends_with("...") ? got.starts_with(text.substr(0, text.size() - 3)) : got == text;
}

// Runs the rows of a language. At least 250 have to be there.
inline void run_rows(const std::string& language, const std::map<std::string, Call>& runners) {
    const json::Value file = json::read(MERKLIZE_VECTORS "/surface.json");
    std::size_t count = 0;
    for (const auto& [name, call] : file["calls"].members) CHECK(runners.contains(name));
    for (const json::Value& row : file["rows"].items) {
        const auto member = [&](const char* name) {
            const auto found = row.members.find(name);
            return found == row.members.end() ? nullptr : &found->second;
        };
        if (member("without") && member("without")->members.contains(language)) continue;
        const std::string call = row["call"].text;
        if (!runners.contains(call)) return check::fail(__FILE__, __LINE__, "a row of an unknown call: " + call);
        count++;
        Arguments with(row["with"]);
        std::string text, got;
        if (member("gives")) {
            text = row["gives"].text;
        } else {
            const bool has_own = member("but") && member("but")->members.contains(language);
            text = has_own ? row["but"][language].text : row["refuses"].text;
            const std::string name = file["calls"][call][language].text;
            if (text.starts_with("!"))
                text.erase(0, 1);
            else if (!name.empty())
                text.insert(0, name + ": ");
            if (const auto at = text.find("{file}"); at != text.npos) text.replace(at, 6, with.path().string());
        }
        const merklize_status kind = !member("kind")            ? MERKLIZE_INVALID_ARGUMENT
                                     : row["kind"].text == "io" ? MERKLIZE_IO
                                                                : MERKLIZE_UNAVAILABLE;
        merklize_status kind_got = kind;
        bool is_refused = true;
        try {
            got = runners.at(call)(with);
            is_refused = false;
        } catch (const merklize::Error& error) {
            got = error.what();
            kind_got = static_cast<merklize_status>(error.code());
        } catch (const Failed& failed) {
            got = merklize_last_error();
            kind_got = failed.status;
        }
        if (is_refused != (member("gives") == nullptr) || !is_text(got, text) || kind_got != kind)
            check::fail("surface.json", 0, language + ", " + call + ": got\n" + got + "\nexpected\n" + text);
        if (!is_refused && !with.not_asked().empty())
            check::fail(__FILE__, __LINE__, call + ": an argument that this test does not know: " + with.not_asked());
    }
    CHECK(count >= 250);
}

}  // namespace surface
