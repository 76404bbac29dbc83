// The rows of tests/vectors/surface.json through the functions of C++.

#include "surface.hpp"

using merklize::MerkleTree;
using merklize::Mode;
using merklize::TreeForm;

namespace surface::cpp {
namespace {

Mode mode_of(Arguments& with, Hash hash) {
    if (with.has("context")) return Mode::derive_key(with.text("context"));
    return with.has("key") ? Mode::keyed(view(with.bytes("key")), hash == Hash::blake2s ? hash : Hash::blake3) : Mode();
}

TreeForm form_of(Arguments& with) {
    const Hash hash = with.hash();
    const std::string rule = with.text("rule");
    return {hash, rule.empty() ? merklize::default_rule(hash) : merklize::rule_from_name(rule), mode_of(with, hash)};
}

std::vector<merklize::MessageView> views_of(const std::vector<Bytes>& messages) {
    std::vector<merklize::MessageView> views;
    for (const Bytes& message : messages) views.emplace_back(view(message));
    return views;
}

merklize::TreeInput input_of(Arguments& with) {
    const std::filesystem::path path = with.path();
    if (with.has("row_size")) return merklize::TreeInput::rows(path, with.number("row_size"));
    return with.has("leaf_size") ? merklize::TreeInput::blocks(path, with.number("leaf_size"))
                                 : merklize::TreeInput::leaves(path);
}

MerkleTree tree_of(Arguments& with) {
    const TreeForm form = form_of(with);
    return MerkleTree(some(with.number("leaves")), form, on_cpu(), static_cast<unsigned>(with.number("drop_levels")));
}

merklize::xmss::Key xmss_key() { return std::move(merklize::xmss::keys(pattern(32), 1000, 1003, on_cpu())[0]); }

const std::map<std::string, Call> runners = {
    {"hash",
     [](Arguments& with) {
         const Hash hash = with.hash();
         const Bytes data = with.bytes("data");
         Bytes out(with.number("length", 32));
         if (hash == Hash::blake3)
             merklize::hash(view(data), view(out), with.number("seek"), mode_of(with, hash));
         else
             merklize::hash_message(view(data), view(out), {hash, mode_of(with, hash)});
         return hex(out);
     }},
    {"hash_file", [](Arguments& with) { return merklize::hash_message_file(with.path(), with.hash()).hex(); }},
    {"hasher",
     [](Arguments& with) {
         const Hash hash = with.hash();
         const Bytes data = with.bytes("data");
         merklize::Hasher hasher = merklize::Hasher::of({hash, mode_of(with, hash)});
         hasher.update(view(data));
         return hasher.digest().hex();
     }},
    {"hash_leaves",
     [](Arguments& with) {
         const Hash hash = with.hash();
         const Bytes data = with.bytes("data");
         std::vector<Digest> out(2);
         merklize::hash_leaves(view(data), with.number("row"), out, hash, mode_of(with, hash));
         return text_of(out);
     }},
    {"poseidon2",
     [](Arguments& with) {
         merklize::Poseidon2 of{static_cast<merklize::Poseidon2Field>(with.field())};
         of.width = static_cast<unsigned>(with.number("width"));
         of.rate = static_cast<unsigned>(with.number("rate"));
         of.external_rounds = static_cast<unsigned>(with["rounds"].items[0].number);
         of.internal_rounds = static_cast<unsigned>(with["rounds"].items[1].number);
         of.constants = with.words("constants");
         of.diagonal = with.words("diagonal");
         return std::string(merklize::traits(merklize::poseidon2(of)).name);
     }},
    {"poseidon",
     [](Arguments& with) {
         merklize::Poseidon of{static_cast<merklize::Poseidon2Field>(with.field())};
         of.width = static_cast<unsigned>(with.number("width"));
         of.rate = static_cast<unsigned>(with.number("rate"));
         of.full_rounds = static_cast<unsigned>(with["rounds"].items[0].number);
         of.partial_rounds = static_cast<unsigned>(with["rounds"].items[1].number);
         of.constants = with.words("constants");
         of.matrix = with.words("matrix");
         return std::string(merklize::traits(merklize::poseidon(of)).name);
     }},
    {"extend",
     [](Arguments& with) {
         const std::vector<std::uint64_t> words = with.words("words");
         const merklize::ExtendForm form{.field = with.field(),
                                         .added_bits = static_cast<unsigned>(with.number("added_bits")),
                                         .shift = with.number("shift")};
         Bytes out((8 * words.size()) << (form.added_bits & 7));
         merklize::extend(merklize::Matrix::of_rows(std::span(words), with.number("rows")), view(out), form);
         return blake3(view(out));
     }},
    {"hash_named",
     [](Arguments& with) { return std::string(merklize::traits(merklize::hash_from_name(with.text("name"))).name); }},
    {"hash_each",
     [](Arguments& with) {
         const Hash hash = with.hash();
         const std::vector<Bytes> data = with.messages();
         const std::vector<merklize::MessageView> messages = views_of(data);
         return text_of(hash == Hash::blake3 ? merklize::hash_each(messages)
                                             : merklize::hash_message_each(messages, hash));
     }},
    {"merge",
     [](Arguments& with) {
         const Hash hash = with.hash();
         return merklize::merge(digest(with.number("left")), digest(with.number("right")), hash, mode_of(with, hash))
             .hex();
     }},
    {"merkle_root",
     [](Arguments& with) {
         const TreeForm form = form_of(with);
         return merklize::merkle_root(some(with.number("leaves")), form).hex();
     }},
    {"tree", [](Arguments& with) { return tree_of(with).root().hex(); }},
    {"from_messages",
     [](Arguments& with) {
         const std::vector<Bytes> data = with.messages();
         const std::vector<merklize::MessageView> messages = views_of(data);
         return MerkleTree::from_messages(messages, form_of(with)).root().hex();
     }},
    {"update",
     [](Arguments& with) {
         MerkleTree tree = tree_of(with);
         tree.update(with["indices"].numbers(), some(with.number("values")));
         return tree.root().hex();
     }},
    {"append",
     [](Arguments& with) {
         MerkleTree tree = tree_of(with);
         tree.append(some(with.number("values")));
         return tree.root().hex();
     }},
    {"from_file",
     [](Arguments& with) {
         const TreeForm form = form_of(with);
         return MerkleTree::from_file(input_of(with), form).root().hex();
     }},
    {"merkle_root_file",
     [](Arguments& with) {
         const TreeForm form = form_of(with);
         return merklize::merkle_root_file(input_of(with), form).root.hex();
     }},
    {"tree_file", [](Arguments& with) { return merklize::TreeFile(with.path()).root().hex(); }},
    {"level",
     [](Arguments& with) { return text_of(tree_of(with).level(static_cast<unsigned>(with.number("level")))); }},
    {"cap", [](Arguments& with) { return text_of(tree_of(with).cap(static_cast<unsigned>(with.number("height")))); }},
    {"prove", [](Arguments& with) { return blake3(tree_of(with).prove(with.number("index")).to_bytes()); }},
    {"prove_together",
     [](Arguments& with) { return blake3(tree_of(with).prove_together(with["indices"].numbers()).to_bytes()); }},
    {"prove_range",
     [](Arguments& with) {
         return blake3(tree_of(with).prove_range(with.number("first"), with.number("last")).to_bytes());
     }},
    {"prove_consistency",
     [](Arguments& with) { return blake3(tree_of(with).prove_consistency(with.number("old_leaves")).to_bytes()); }},
    {"forest",
     [](Arguments& with) {
         return text_of(merklize::MerkleForest(some(with.number("leaves")), with.number("n_leaves")).roots());
     }},
    {"format", [](Arguments& with) { return merklize::format_from_name(with.text("name")), std::string(); }},
    {"device", [](Arguments& with) { return merklize::Device(with.text("name")).info().id; }},
    {"policy", [](Arguments& with) { return merklize::to_text(merklize::policy_from_text(with.text("text"))); }},
    {"ssz",
     [](Arguments& with) {
         std::optional<std::uint64_t> limit;
         if (with.has("limit")) limit = with.number("limit");
         return merklize::ssz(some(with.number("leaves")), limit).hex();
     }},
    {"fs_verity",
     [](Arguments& with) {
         const Bytes data = with.bytes("data"), salt(with.number("salt"));
         return merklize::fs_verity(view(data),
                                    {static_cast<std::uint32_t>(with.number("block_size", 4096)), view(salt)})
             .hex();
     }},
    {"glacier", [](Arguments& with) { return merklize::glacier(view(with.bytes("data"))).hex(); }},
    {"bittorrent_v2",
     [](Arguments& with) {
         const Bytes data = with.bytes("data");
         return merklize::bittorrent_v2(view(data), with.number("piece_length")).root->hex();
     }},
    {"dm_verity",
     [](Arguments& with) {
         const Bytes data = with.bytes("data");
         merklize::DmVerity how;
         how.data_block_size = static_cast<std::uint32_t>(with.number("data_block_size", 4096));
         how.hash_block_size = static_cast<std::uint32_t>(with.number("hash_block_size", 4096));
         if (with.has("data_blocks")) how.data_blocks = with.number("data_blocks");
         how.salt.resize(with.number("salt"));
         std::string root;
         for (const std::byte byte : merklize::dm_verity(view(data), how))
             root += hex({static_cast<std::uint8_t>(byte)});
         return root;
     }},
    {"piece_cid", [](Arguments& with) { return merklize::piece_cid(view(with.bytes("data"))).v2(); }},
    {"bao_outboard",
     [](Arguments& with) {
         const Bytes data = with.bytes("data");
         return blake3(
             merklize::bao_outboard(view(data), {.group_log = static_cast<unsigned>(with.number("group_log"))}).bytes);
     }},
    {"openzeppelin",
     [](Arguments& with) { return merklize::OpenZeppelinTree(some(with.number("leaves"))).root().hex(); }},
    {"openzeppelin_prove",
     [](Arguments& with) {
         const merklize::OpenZeppelinTree tree(some(with.number("leaves")));
         return text_of(tree.prove(with.number("index")));
     }},
    {"xmss_keys",
     [](Arguments& with) {
         std::string text;
         for (const merklize::xmss::Key& key : merklize::xmss::keys(with.bytes("seeds"), with.number("first_epoch"),
                                                                    with.number("last_epoch"), on_cpu()))
             text += Digest{key.public_key()}.hex();
         return text;
     }},
    {"xmss_sign",
     [](Arguments& with) { return blake3(xmss_key().sign(with.number("epoch"), with.bytes("message"), on_cpu())); }},
    {"xmss_verify",
     [](Arguments& with) {
         const merklize::xmss::Key key = xmss_key();
         const Bytes message = pattern(32);
         const auto signature = key.sign(with.number("epoch"), message, on_cpu());
         const bool valid = merklize::xmss::verify(key.public_key(), with.number("at"), message, signature);
         return std::string(valid ? "valid" : "not valid");
     }},
    {"value_of_pieces", [](Arguments& with) { return merklize::value_of_pieces(some(with.number("leaves"))).hex(); }},
    {"digest_of_pieces", [](Arguments& with) { return merklize::digest_of_pieces(some(with.number("leaves"))).hex(); }},
    {"piece_values",
     [](Arguments& with) {
         const Bytes data = with.bytes("data");
         return text_of(merklize::piece_values(view(data), with.number("offset"), with.number("piece_size")));
     }},
};

}  // namespace
}  // namespace surface::cpp

TEST("surface: rows in C++") { surface::run_rows("cpp", surface::cpp::runners); }
