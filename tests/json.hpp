#pragma once

#include <cctype>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// The JSON of tests/vectors: objects, arrays, strings with their escapes as they are, unsigned 64-bit integers. true,
// false and null are texts.
namespace json {

struct Value {
    std::map<std::string, Value> members{};
    std::vector<Value> items{};
    std::string text{};
    std::uint64_t number = 0;

    const Value& operator[](const std::string& name) const { return members.at(name); }

    std::vector<std::uint64_t> numbers() const {
        std::vector<std::uint64_t> out;
        for (const Value& item : items) out.push_back(item.number);
        return out;
    }
};

class Reader {
public:
    explicit Reader(std::string text) : text_(std::move(text)) {}

    Value value() {
        Value v;
        switch (peek()) {
            case '{':
                list('}', [&] {
                    const std::string name = string();
                    expect(':');
                    v.members[name] = value();
                });
                break;
            case '[': list(']', [&] { v.items.push_back(value()); }); break;
            case '"': v.text = string(); break;
            case 't':
            case 'f':
            case 'n':
                for (; at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])); ++at_)
                    v.text += text_[at_];
                break;
            default: {
                std::size_t used = 0;
                v.number = std::stoull(text_.substr(at_, 20), &used);
                at_ += used;
            }
        }
        return v;
    }

private:
    char peek() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    void expect(char c) {
        if (peek() != c) throw std::runtime_error("bad JSON at byte " + std::to_string(at_));
        ++at_;
    }
    template <class Item>
    void list(char end, Item item) {
        ++at_;
        while (peek() != end) {
            item();
            if (peek() != end) expect(',');
        }
        ++at_;
    }
    std::string string() {
        expect('"');
        std::size_t end = text_.find('"', at_);
        while (end != text_.npos && text_[end - 1] == '\\')
            end = text_.find('"', end + 1);  // an escaped one stays as it is
        if (end == text_.npos) throw std::runtime_error("bad JSON: a string without an end");
        std::string out = text_.substr(at_, end - at_);
        at_ = end + 1;
        return out;
    }

    std::string text_;
    std::size_t at_ = 0;
};

inline Value read(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot open " + path);
    std::ostringstream text;
    text << file.rdbuf();
    return Reader(text.str()).value();
}

}  // namespace json
