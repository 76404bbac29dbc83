// The rows of tests/vectors/surface.json through the functions of C++ and of C: results and texts of errors, which are
// the same in all languages.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <merklize/merklize.h>

#include "json.hpp"
#include "support.hpp"

using namespace support;
using merklize::MerkleTree;
using merklize::Mode;
using merklize::TreeForm;

namespace {

/// The arguments of a row. One that the runner does not ask for is a failure.
class Given {
public:
    explicit Given(const json::Value& with) : with_(with) {}

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
    Hash hash() { return has("hash") ? merklize::hash_from_name((*this)["hash"].text) : Hash::blake3; }

    std::string not_asked() const {
        for (const auto& [name, value] : with_.members)
            if (!asked_.contains(name)) return name;
        return {};
    }

private:
    const json::Value& with_;
    std::set<std::string> asked_;
};

Digest digest(std::uint64_t i) {
    Digest made;
    if (i == 255) made.bytes.fill(std::byte{0xff});
    made.bytes[0] = static_cast<std::byte>(i);
    return made;
}

std::vector<Digest> some(std::uint64_t n) {
    std::vector<Digest> made;
    for (std::uint64_t i = 0; i < n; i++) made.push_back(digest(i));
    return made;
}

std::string text_of(std::span<const Digest> digests) {
    std::string text;
    for (const Digest& one : digests) text += one.hex();
    return text;
}

std::string blake3(std::span<const std::byte> data) { return merklize::hash(data).hex(); }

using Call = std::function<std::string(Given&)>;

// C++

Mode mode_of(Given& given, Hash hash) {
    if (given.has("context")) return Mode::derive_key(given.text("context"));
    return given.has("key") ? Mode::keyed(view(given.bytes("key")), hash == Hash::blake2s ? hash : Hash::blake3)
                            : Mode();
}

TreeForm form_of(Given& given) {
    const Hash hash = given.hash();
    const std::string rule = given.text("rule");
    return {hash, rule.empty() ? merklize::default_rule(hash) : merklize::rule_from_name(rule), mode_of(given, hash)};
}

MerkleTree tree_of(Given& given) {
    const TreeForm form = form_of(given);
    return MerkleTree(some(given.number("leaves")), form, on_cpu(), static_cast<unsigned>(given.number("drop_levels")));
}

const std::map<std::string, Call> of_cpp = {
    {"hash",
     [](Given& given) {
         const Hash hash = given.hash();
         const Bytes data = given.bytes("data");
         Bytes out(given.number("length", 32));
         if (hash == Hash::blake3)
             merklize::hash(view(data), view(out), given.number("seek"), mode_of(given, hash));
         else
             merklize::hash_message(view(data), view(out), {hash, mode_of(given, hash)});
         return hex(out);
     }},
    {"hash_named",
     [](Given& given) { return std::string(merklize::traits(merklize::hash_from_name(given.text("name"))).name); }},
    {"hash_each",
     [](Given& given) {
         const Hash hash = given.hash();
         std::vector<Bytes> data;
         for (const std::uint64_t n : given["messages"].numbers()) data.push_back(pattern(n));
         std::vector<merklize::MessageView> messages;
         for (const Bytes& one : data) messages.emplace_back(view(one));
         return text_of(hash == Hash::blake3 ? merklize::hash_each(messages)
                                             : merklize::hash_message_each(messages, hash));
     }},
    {"merge",
     [](Given& given) {
         return merklize::merge(digest(given.number("left")), digest(given.number("right")), given.hash()).hex();
     }},
    {"merkle_root",
     [](Given& given) {
         const TreeForm form = form_of(given);
         return merklize::merkle_root(some(given.number("leaves")), form).hex();
     }},
    {"tree", [](Given& given) { return tree_of(given).root().hex(); }},
    {"level", [](Given& given) { return text_of(tree_of(given).level(static_cast<unsigned>(given.number("level")))); }},
    {"cap", [](Given& given) { return text_of(tree_of(given).cap(static_cast<unsigned>(given.number("height")))); }},
    {"prove", [](Given& given) { return blake3(tree_of(given).prove(given.number("index")).to_bytes()); }},
    {"prove_together",
     [](Given& given) { return blake3(tree_of(given).prove_together(given["indices"].numbers()).to_bytes()); }},
    {"prove_range",
     [](Given& given) {
         return blake3(tree_of(given).prove_range(given.number("first"), given.number("last")).to_bytes());
     }},
    {"prove_consistency",
     [](Given& given) { return blake3(tree_of(given).prove_consistency(given.number("old_leaves")).to_bytes()); }},
    {"forest",
     [](Given& given) {
         return text_of(merklize::MerkleForest(some(given.number("leaves")), given.number("n_leaves")).roots());
     }},
    {"format", [](Given& given) { return merklize::format_from_name(given.text("name")), std::string(); }},
    {"device", [](Given& given) { return merklize::Device(given.text("name")).info().id; }},
    {"policy", [](Given& given) { return merklize::to_text(merklize::policy_from_text(given.text("text"))); }},
    {"ssz",
     [](Given& given) {
         std::optional<std::uint64_t> limit;
         if (given.has("limit")) limit = given.number("limit");
         return merklize::ssz(some(given.number("leaves")), limit).hex();
     }},
    {"fs_verity",
     [](Given& given) {
         const Bytes data = given.bytes("data");
         return merklize::fs_verity(view(data),
                                    {.block_size = static_cast<std::uint32_t>(given.number("block_size", 4096))})
             .hex();
     }},
    {"glacier", [](Given& given) { return merklize::glacier(view(given.bytes("data"))).hex(); }},
    {"bittorrent_v2",
     [](Given& given) {
         const Bytes data = given.bytes("data");
         return merklize::bittorrent_v2(view(data), given.number("piece_length")).root->hex();
     }},
    {"piece_cid", [](Given& given) { return merklize::piece_cid(view(given.bytes("data"))).v2(); }},
    {"bao_outboard",
     [](Given& given) {
         const Bytes data = given.bytes("data");
         return blake3(
             merklize::bao_outboard(view(data), {.group_log = static_cast<unsigned>(given.number("group_log"))}).bytes);
     }},
    {"openzeppelin",
     [](Given& given) { return merklize::OpenZeppelinTree(some(given.number("leaves"))).root().hex(); }},
    {"value_of_pieces", [](Given& given) { return merklize::value_of_pieces(some(given.number("leaves"))).hex(); }},
    {"digest_of_pieces", [](Given& given) { return merklize::digest_of_pieces(some(given.number("leaves"))).hex(); }},
    {"piece_values",
     [](Given& given) {
         const Bytes data = given.bytes("data");
         return text_of(merklize::piece_values(view(data), given.number("offset"), given.number("piece_size")));
     }},
};

// C

/// A call of C that failed: merklize_last_error() has the text.
struct Failed {
    merklize_status status;
};

void need(merklize_status status) {
    if (status != MERKLIZE_OK) throw Failed{status};
}

/// Frees a handle of C.
template <class Handle>
using Owned = std::unique_ptr<Handle, void (*)(Handle*)>;

const merklize_digest* in_c(const std::vector<Digest>& digests) {
    return reinterpret_cast<const merklize_digest*>(digests.data());
}
std::string text_of(const merklize_digest& digest) { return hex(Bytes(digest.bytes, digest.bytes + 32)); }
std::string text_of(const merklize_digest* first, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; i++) text += text_of(first[i]);
    return text;
}

/// The form of a row, with what it points to.
struct FormOfC {
    explicit FormOfC(Given& given)
        : key(given.bytes("key")),
          context(given.text("context")),
          mode{key.empty() ? nullptr : key.data(), key.size(), context.empty() ? nullptr : context.data(),
               context.size()},
          form{} {
        form.hash = static_cast<merklize_hash_id>(given.hash());
        const std::string rule = given.text("rule");
        if (!rule.empty()) form.rule = static_cast<merklize_rule>(merklize::rule_from_name(rule)) + 1;
        form.mode = &mode;
    }
    FormOfC(const FormOfC&) = delete;
    FormOfC& operator=(const FormOfC&) = delete;

    Bytes key;
    std::string context;
    merklize_mode mode;
    merklize_form form;
};

Owned<merklize_tree> c_tree_of(Given& given) {
    const FormOfC form(given);
    const std::vector<Digest> leaves = some(given.number("leaves"));
    merklize_tree* tree = nullptr;
    need(merklize_tree_from_leaves(merklize_view_digests(in_c(leaves), leaves.size()), &form.form,
                                   static_cast<std::uint32_t>(given.number("drop_levels")), nullptr, &tree));
    return {tree, merklize_tree_free};
}

std::string c_proof(Given& given, const std::function<merklize_status(const merklize_tree*, merklize_proof**)>& prove) {
    const auto tree = c_tree_of(given);
    merklize_proof* made = nullptr;
    need(prove(tree.get(), &made));
    const Owned<merklize_proof> proof(made, merklize_proof_free);
    std::size_t length = 0;
    merklize_proof_to_bytes(proof.get(), nullptr, 0, &length);
    Bytes bytes(length);
    need(merklize_proof_to_bytes(proof.get(), bytes.data(), length, &length));
    return blake3(view(bytes));
}

const std::map<std::string, Call> of_c = {
    {"hash",
     [](Given& given) {
         const FormOfC form(given);
         const Bytes data = given.bytes("data");
         Bytes out(given.number("length", 32));
         need(merklize_hash(merklize_view_bytes(data.data(), data.size()), form.form.hash, &form.mode,
                            given.number("seek"), out.data(), out.size(), nullptr));
         return hex(out);
     }},
    {"hash_named",
     [](Given& given) {
         merklize_hash_id hash = 0;
         need(merklize_hash_from_name(given.text("name").c_str(), &hash));
         return std::to_string(hash);
     }},
    {"hash_each",
     [](Given& given) {
         const FormOfC form(given);
         std::vector<Bytes> data;
         for (const std::uint64_t n : given["messages"].numbers()) data.push_back(pattern(n));
         std::vector<merklize_view> messages;
         for (const Bytes& one : data) messages.push_back(merklize_view_bytes(one.data(), one.size()));
         Bytes out(32 * messages.size());
         need(
             merklize_hash_each(messages.data(), messages.size(), form.form.hash, nullptr, 0, out.data(), 32, nullptr));
         return hex(out);
     }},
    {"merge",
     [](Given& given) {
         const FormOfC form(given);
         const std::vector<Digest> left{digest(given.number("left"))}, right{digest(given.number("right"))};
         merklize_digest out{};
         need(merklize_merge(merklize_view_digests(in_c(left), 1), merklize_view_digests(in_c(right), 1),
                             form.form.hash, nullptr, merklize_output_digests(&out, 1), nullptr));
         return text_of(out);
     }},
    {"merkle_root",
     [](Given& given) {
         const FormOfC form(given);
         const std::vector<Digest> leaves = some(given.number("leaves"));
         merklize_digest root{};
         need(merklize_merkle_root(merklize_view_digests(in_c(leaves), leaves.size()), &form.form, &root, nullptr));
         return text_of(root);
     }},
    {"tree",
     [](Given& given) {
         merklize_digest root{};
         need(merklize_tree_root(c_tree_of(given).get(), &root));
         return text_of(root);
     }},
    {"level",
     [](Given& given) {
         const auto tree = c_tree_of(given);
         const merklize_digest* nodes = nullptr;
         std::uint64_t count = 0;
         need(merklize_tree_level(tree.get(), static_cast<std::uint32_t>(given.number("level")), &nodes, &count));
         return text_of(nodes, count);
     }},
    {"cap",
     [](Given& given) {
         std::vector<merklize_digest> nodes(64);
         std::size_t count = 0;
         need(merklize_tree_cap(c_tree_of(given).get(), static_cast<std::uint32_t>(given.number("height")),
                                nodes.data(), nodes.size(), &count));
         return text_of(nodes.data(), count);
     }},
    {"prove",
     [](Given& given) {
         const std::uint64_t index = given.number("index");
         return c_proof(given, [&](const auto* tree, auto** proof) {
             return merklize_tree_prove(tree, index, nullptr, 0, proof);
         });
     }},
    {"prove_together",
     [](Given& given) {
         const std::vector<std::uint64_t> indices = given["indices"].numbers();
         return c_proof(given, [&](const auto* tree, auto** proof) {
             return merklize_tree_prove_together(tree, indices.data(), indices.size(), nullptr, 0, proof);
         });
     }},
    {"prove_range",
     [](Given& given) {
         const std::uint64_t first = given.number("first"), last = given.number("last");
         return c_proof(given, [&](const auto* tree, auto** proof) {
             return merklize_tree_prove_range(tree, first, last, nullptr, 0, proof);
         });
     }},
    {"prove_consistency",
     [](Given& given) {
         const std::uint64_t old_leaves = given.number("old_leaves");
         return c_proof(given, [&](const auto* tree, auto** proof) {
             return merklize_tree_prove_consistency(tree, old_leaves, proof);
         });
     }},
    {"forest",
     [](Given& given) {
         const std::vector<Digest> leaves = some(given.number("leaves"));
         merklize_forest* made = nullptr;
         need(merklize_forest_from_leaves(merklize_view_digests(in_c(leaves), leaves.size()), given.number("n_leaves"),
                                          nullptr, nullptr, &made));
         const Owned<merklize_forest> forest(made, merklize_forest_free);
         std::vector<merklize_digest> roots(64);
         std::size_t count = 0;
         need(merklize_forest_roots(forest.get(), roots.data(), roots.size(), &count));
         return text_of(roots.data(), count);
     }},
    {"format",
     [](Given& given) {
         merklize_format_info info{};
         need(merklize_format_get_info(given.text("name").c_str(), &info));
         return std::string();
     }},
    {"device",
     [](Given& given) {
         merklize_device* device = nullptr;
         need(merklize_device_open(given.text("name").c_str(), &device));
         merklize_device_free(device);
         return std::string();
     }},
    {"policy",
     [](Given& given) {
         merklize_policy policy{};
         need(merklize_policy_from_text(given.text("text").c_str(), &policy));
         return std::string();
     }},
    {"ssz",
     [](Given& given) {
         const std::vector<Digest> leaves = some(given.number("leaves"));
         const std::uint64_t limit = given.number("limit");
         merklize_digest root{};
         need(
             merklize_ssz(in_c(leaves), leaves.size(), given.has("limit") ? &limit : nullptr, nullptr, &root, nullptr));
         return text_of(root);
     }},
    {"fs_verity",
     [](Given& given) {
         const Bytes data = given.bytes("data");
         merklize_fs_verity_form form{};
         form.block_size = static_cast<std::uint32_t>(given.number("block_size"));
         merklize_digest root{};
         need(merklize_fs_verity(data.data(), data.size(), &form, &root, nullptr));
         return text_of(root);
     }},
    {"glacier",
     [](Given& given) {
         const Bytes data = given.bytes("data");
         merklize_digest root{};
         need(merklize_glacier(data.data(), data.size(), &root, nullptr));
         return text_of(root);
     }},
    {"bittorrent_v2",
     [](Given& given) {
         const Bytes data = given.bytes("data");
         std::vector<merklize_digest> layer(64);
         merklize_digest root{};
         std::size_t count = 0;
         need(merklize_bittorrent_v2(data.data(), data.size(), given.number("piece_length"), &root, layer.data(),
                                     layer.size(), &count, nullptr));
         return text_of(root);
     }},
    {"piece_cid",
     [](Given& given) {
         const Bytes data = given.bytes("data");
         merklize_piece_cid_info piece{};
         need(merklize_piece_cid(data.data(), data.size(), &piece, nullptr));
         return std::string(piece.v2);
     }},
    {"bao_outboard",
     [](Given& given) {
         const Bytes data = given.bytes("data");
         merklize_bao_form form{};
         form.group_log = static_cast<std::uint32_t>(given.number("group_log"));
         std::uint64_t size = 0;
         if (form.group_log <= 20) need(merklize_bao_outboard_bytes(data.size(), &form, &size));
         Bytes out(size);
         merklize_digest root{};
         need(merklize_bao_outboard(merklize_view_bytes(data.data(), data.size()), &form,
                                    merklize_output_bytes(out.data(), out.size()), &root, nullptr));
         return blake3(view(out));
     }},
    {"openzeppelin",
     [](Given& given) {
         const std::vector<Digest> leaves = some(given.number("leaves"));
         merklize_openzeppelin_tree* made = nullptr;
         need(merklize_openzeppelin_tree_create(in_c(leaves), leaves.size(), nullptr, nullptr, &made));
         const Owned<merklize_openzeppelin_tree> tree(made, merklize_openzeppelin_tree_free);
         const merklize_digest* nodes = nullptr;
         std::uint64_t count = 0;
         need(merklize_openzeppelin_tree_nodes(tree.get(), &nodes, &count));
         return text_of(nodes[0]);
     }},
    {"value_of_pieces",
     [](Given& given) {
         const std::vector<Digest> leaves = some(given.number("leaves"));
         merklize_digest value{};
         need(merklize_value_of_pieces(in_c(leaves), leaves.size(), nullptr, &value));
         return text_of(value);
     }},
    {"digest_of_pieces",
     [](Given& given) {
         const std::vector<Digest> leaves = some(given.number("leaves"));
         Bytes out(32);
         need(merklize_digest_of_pieces(in_c(leaves), leaves.size(), nullptr, 0, out.data(), out.size()));
         return hex(out);
     }},
    {"piece_values",
     [](Given& given) {
         const Bytes data = given.bytes("data");
         std::vector<merklize_digest> values(8);
         std::size_t count = 0;
         need(merklize_piece_values(data.data(), data.size(), given.number("offset"), given.number("piece_size"),
                                    nullptr, values.data(), values.size(), &count, nullptr));
         return text_of(values.data(), count);
     }},
};

bool is_text(std::string_view got, std::string_view text) {
    return text.ends_with("...") ? got.starts_with(text.substr(0, text.size() - 3)) : got == text;
}

// Runs the rows of a language. At least 200 have to be there.
void run_rows(const std::string& language, const std::map<std::string, Call>& runners) {
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
        Given given(row["with"]);
        std::string text, got;
        if (member("gives")) {
            text = row["gives"].text;
        } else {
            const bool has_own = member("but") && member("but")->members.contains(language);
            text = has_own ? row["but"][language].text : row["refuses"].text;
            const std::string name = file["calls"][call][language].text;
            if (text.starts_with("!"))
                text.erase(0, 1);
            else
                text.insert(0, name + ": ");
        }
        const std::string kind = member("kind") ? row["kind"].text : "invalid argument";
        std::string kind_got = kind;
        bool is_refused = true;
        try {
            got = runners.at(call)(given);
            is_refused = false;
        } catch (const merklize::Error& error) {
            got = error.what();
            kind_got = merklize_status_name(static_cast<merklize_status>(error.code()));
        } catch (const Failed& failed) {
            got = merklize_last_error();
            kind_got = merklize_status_name(failed.status);
        }
        if (is_refused != (member("gives") == nullptr) || !is_text(got, text) || kind_got != kind)
            check::fail(__FILE__, __LINE__, language + ", " + call + ": got\n" + got + "\nexpected\n" + text);
        if (!is_refused && !given.not_asked().empty())
            check::fail(__FILE__, __LINE__, call + ": an argument that this test does not know: " + given.not_asked());
    }
    CHECK(count >= 200);
}

}  // namespace

TEST("surface: rows in C++") { run_rows("cpp", of_cpp); }
TEST("surface: rows in C") { run_rows("c", of_c); }
