// The rows of tests/vectors/surface.json through the functions of C.

#include <memory>

#include "surface.hpp"

namespace surface::c {
namespace {

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
    explicit FormOfC(Arguments& with)
        : key(with.bytes("key")),
          context(with.text("context")),
          mode{key.empty() ? nullptr : key.data(), key.size(), context.empty() ? nullptr : context.data(),
               context.size()},
          form{} {
        form.hash = static_cast<merklize_hash_id>(with.hash());
        const std::string rule = with.text("rule");
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

std::vector<merklize_view> views_of(const std::vector<Bytes>& messages) {
    std::vector<merklize_view> views;
    for (const Bytes& message : messages) views.push_back(merklize_view_bytes(message.data(), message.size()));
    return views;
}

/// The file of a row. It must outlive the input.
merklize_input input_of(Arguments& with, const std::string& path) {
    merklize_input input{};
    input.path = path.c_str();
    input.leaf_bytes = with.has("row_size") ? with.number("row_size") : with.number("leaf_size");
    input.kind = with.has("row_size")    ? MERKLIZE_INPUT_ROWS
                 : with.has("leaf_size") ? MERKLIZE_INPUT_BLOCKS
                                         : MERKLIZE_INPUT_LEAVES;
    return input;
}

/// A merklize_poseidon2 or merklize_poseidon. Both point to the words.
template <class Instance>
Instance instance_of(Arguments& with, const std::vector<std::uint64_t>& constants,
                     const std::vector<std::uint64_t>& others) {
    const auto number = [&](const char* name) { return static_cast<std::uint32_t>(with.number(name)); };
    const std::vector<std::uint64_t> rounds = with["rounds"].numbers();
    return {static_cast<std::uint32_t>(with.field()),
            number("width"),
            number("rate"),
            static_cast<std::uint32_t>(rounds.at(0)),
            static_cast<std::uint32_t>(rounds.at(1)),
            constants.data(),
            constants.size(),
            others.data(),
            others.size()};
}

std::string name_of(merklize_hash_id hash) {
    char name[128];
    need(merklize_hash_name(hash, name, sizeof name, nullptr));
    return name;
}

std::string root_of(merklize_tree* made) {
    const Owned<merklize_tree> tree(made, merklize_tree_free);
    merklize_digest root{};
    need(merklize_tree_root(tree.get(), &root));
    return text_of(root);
}

Owned<merklize_tree> tree_of(Arguments& with) {
    const FormOfC form(with);
    const std::vector<Digest> leaves = some(with.number("leaves"));
    merklize_tree* tree = nullptr;
    need(merklize_tree_from_leaves(merklize_view_digests(in_c(leaves), leaves.size()), &form.form,
                                   static_cast<std::uint32_t>(with.number("drop_levels")), nullptr, &tree));
    return {tree, merklize_tree_free};
}

Owned<merklize_openzeppelin_tree> openzeppelin_tree_of(Arguments& with) {
    const std::vector<Digest> leaves = some(with.number("leaves"));
    merklize_openzeppelin_tree* tree = nullptr;
    need(merklize_openzeppelin_tree_create(in_c(leaves), leaves.size(), nullptr, nullptr, &tree));
    return {tree, merklize_openzeppelin_tree_free};
}

std::string proof_of(Arguments& with,
                     const std::function<merklize_status(const merklize_tree*, merklize_proof**)>& prove) {
    const auto tree = tree_of(with);
    merklize_proof* made = nullptr;
    need(prove(tree.get(), &made));
    const Owned<merklize_proof> proof(made, merklize_proof_free);
    std::size_t length = 0;
    merklize_proof_to_bytes(proof.get(), nullptr, 0, &length);
    Bytes bytes(length);
    need(merklize_proof_to_bytes(proof.get(), bytes.data(), length, &length));
    return blake3(view(bytes));
}

Owned<merklize_xmss_key> xmss_key() {
    merklize_xmss_key* key = nullptr;
    need(merklize_xmss_keys(pattern(32).data(), 1, 1000, 1003, nullptr, &key));
    return {key, merklize_xmss_key_free};
}

const std::map<std::string, Call> runners = {
    {"hash",
     [](Arguments& with) {
         const FormOfC form(with);
         const Bytes data = with.bytes("data");
         Bytes out(with.number("length", 32));
         need(merklize_hash(merklize_view_bytes(data.data(), data.size()), form.form.hash, &form.mode,
                            with.number("seek"), out.data(), out.size(), nullptr));
         return hex(out);
     }},
    {"hash_file",
     [](Arguments& with) {
         Bytes out(32);
         need(merklize_hash_file(with.path().c_str(), static_cast<merklize_hash_id>(with.hash()), nullptr, 0,
                                 out.data(), out.size(), nullptr));
         return hex(out);
     }},
    {"hasher",
     [](Arguments& with) {
         const FormOfC form(with);
         const Bytes data = with.bytes("data");
         Bytes out(32);
         merklize_hasher* made = nullptr;
         need(merklize_hasher_create(form.form.hash, &form.mode, nullptr, &made));
         const Owned<merklize_hasher> hasher(made, merklize_hasher_free);
         need(merklize_hasher_update(hasher.get(), data.data(), data.size()));
         need(merklize_hasher_output(hasher.get(), 0, out.data(), out.size()));
         return hex(out);
     }},
    {"hash_leaves",
     [](Arguments& with) {
         const FormOfC form(with);
         const Bytes data = with.bytes("data");
         std::vector<merklize_digest> out(2);
         need(merklize_hash_leaves(merklize_view_bytes(data.data(), data.size()), with.number("row"), form.form.hash,
                                   &form.mode, merklize_output_digests(out.data(), out.size()), nullptr));
         return text_of(out.data(), out.size());
     }},
    {"poseidon2",
     [](Arguments& with) {
         const std::vector<std::uint64_t> constants = with.words("constants"), diagonal = with.words("diagonal");
         const auto of = instance_of<merklize_poseidon2>(with, constants, diagonal);
         merklize_hash_id hash = 0;
         need(merklize_hash_poseidon2(&of, nullptr, &hash));
         return name_of(hash);
     }},
    {"poseidon",
     [](Arguments& with) {
         const std::vector<std::uint64_t> constants = with.words("constants"), matrix = with.words("matrix");
         const auto of = instance_of<merklize_poseidon>(with, constants, matrix);
         merklize_hash_id hash = 0;
         need(merklize_hash_poseidon(&of, &hash));
         return name_of(hash);
     }},
    {"extend",
     [](Arguments& with) {
         const std::vector<std::uint64_t> words = with.words("words");
         const std::uint64_t rows = with.number("rows"), columns = words.size() / rows;
         const merklize_matrix matrix{words.data(),
                                      nullptr,
                                      0,
                                      rows,
                                      columns,
                                      static_cast<std::int64_t>(columns),
                                      1,
                                      8,
                                      MERKLIZE_ELEMENTS_CANONICAL};
         const merklize_extend_form form{static_cast<std::uint32_t>(with.field()),
                                         static_cast<std::uint32_t>(with.number("added_bits")), with.number("shift"),
                                         MERKLIZE_ROW_ORDER_NATURAL};
         Bytes out((8 * words.size()) << (form.added_bits & 7));
         need(merklize_extend(&matrix, &form, merklize_output_bytes(out.data(), out.size()), nullptr));
         return blake3(view(out));
     }},
    {"hash_named",
     [](Arguments& with) {
         merklize_hash_id hash = 0;
         need(merklize_hash_from_name(with.text("name").c_str(), &hash));
         return std::to_string(hash);
     }},
    {"hash_each",
     [](Arguments& with) {
         const FormOfC form(with);
         const std::vector<Bytes> data = with.messages();
         const std::vector<merklize_view> messages = views_of(data);
         Bytes out(32 * messages.size());
         need(
             merklize_hash_each(messages.data(), messages.size(), form.form.hash, nullptr, 0, out.data(), 32, nullptr));
         return hex(out);
     }},
    {"merge",
     [](Arguments& with) {
         const FormOfC form(with);
         const std::vector<Digest> left{digest(with.number("left"))}, right{digest(with.number("right"))};
         merklize_digest out{};
         need(merklize_merge(merklize_view_digests(in_c(left), 1), merklize_view_digests(in_c(right), 1),
                             form.form.hash, &form.mode, merklize_output_digests(&out, 1), nullptr));
         return text_of(out);
     }},
    {"merkle_root",
     [](Arguments& with) {
         const FormOfC form(with);
         const std::vector<Digest> leaves = some(with.number("leaves"));
         merklize_digest root{};
         need(merklize_merkle_root(merklize_view_digests(in_c(leaves), leaves.size()), &form.form, &root, nullptr));
         return text_of(root);
     }},
    {"tree", [](Arguments& with) { return root_of(tree_of(with).release()); }},
    {"from_messages",
     [](Arguments& with) {
         const FormOfC form(with);
         const std::vector<Bytes> data = with.messages();
         const std::vector<merklize_view> messages = views_of(data);
         merklize_tree* tree = nullptr;
         need(merklize_tree_from_messages(messages.data(), messages.size(), &form.form, nullptr, &tree));
         return root_of(tree);
     }},
    {"update",
     [](Arguments& with) {
         auto tree = tree_of(with);
         const std::vector<std::uint64_t> indices = with["indices"].numbers();
         const std::vector<Digest> values = some(with.number("values"));
         need(merklize_tree_update(tree.get(), indices.data(), in_c(values), values.size(), nullptr));
         return root_of(tree.release());
     }},
    {"append",
     [](Arguments& with) {
         auto tree = tree_of(with);
         const std::vector<Digest> values = some(with.number("values"));
         need(merklize_tree_append(tree.get(), in_c(values), values.size(), nullptr));
         return root_of(tree.release());
     }},
    {"from_file",
     [](Arguments& with) {
         const FormOfC form(with);
         const std::string path = with.path();
         const merklize_input input = input_of(with, path);
         merklize_tree* tree = nullptr;
         need(merklize_tree_from_file(&input, &form.form, nullptr, &tree));
         return root_of(tree);
     }},
    {"merkle_root_file",
     [](Arguments& with) {
         const FormOfC form(with);
         const std::string path = with.path();
         const merklize_input input = input_of(with, path);
         merklize_tree_info info{};
         need(merklize_merkle_root_file(&input, &form.form, &info, nullptr));
         return text_of(info.root);
     }},
    {"tree_file",
     [](Arguments& with) {
         merklize_tree_file* file = nullptr;
         need(merklize_tree_file_open(with.path().c_str(), &file));
         merklize_tree_file_free(file);
         return std::string();
     }},
    {"level",
     [](Arguments& with) {
         const auto tree = tree_of(with);
         const merklize_digest* nodes = nullptr;
         std::uint64_t count = 0;
         need(merklize_tree_level(tree.get(), static_cast<std::uint32_t>(with.number("level")), &nodes, &count));
         return text_of(nodes, count);
     }},
    {"cap",
     [](Arguments& with) {
         std::vector<merklize_digest> nodes(64);
         std::size_t count = 0;
         need(merklize_tree_cap(tree_of(with).get(), static_cast<std::uint32_t>(with.number("height")), nodes.data(),
                                nodes.size(), &count));
         return text_of(nodes.data(), count);
     }},
    {"prove",
     [](Arguments& with) {
         const std::uint64_t index = with.number("index");
         return proof_of(
             with, [&](const auto* tree, auto** proof) { return merklize_tree_prove(tree, index, nullptr, 0, proof); });
     }},
    {"prove_together",
     [](Arguments& with) {
         const std::vector<std::uint64_t> indices = with["indices"].numbers();
         return proof_of(with, [&](const auto* tree, auto** proof) {
             return merklize_tree_prove_together(tree, indices.data(), indices.size(), nullptr, 0, proof);
         });
     }},
    {"prove_range",
     [](Arguments& with) {
         const std::uint64_t first = with.number("first"), last = with.number("last");
         return proof_of(with, [&](const auto* tree, auto** proof) {
             return merklize_tree_prove_range(tree, first, last, nullptr, 0, proof);
         });
     }},
    {"prove_consistency",
     [](Arguments& with) {
         const std::uint64_t old_leaves = with.number("old_leaves");
         return proof_of(with, [&](const auto* tree, auto** proof) {
             return merklize_tree_prove_consistency(tree, old_leaves, proof);
         });
     }},
    {"forest",
     [](Arguments& with) {
         const std::vector<Digest> leaves = some(with.number("leaves"));
         merklize_forest* made = nullptr;
         need(merklize_forest_from_leaves(merklize_view_digests(in_c(leaves), leaves.size()), with.number("n_leaves"),
                                          nullptr, nullptr, &made));
         const Owned<merklize_forest> forest(made, merklize_forest_free);
         std::vector<merklize_digest> roots(64);
         std::size_t count = 0;
         need(merklize_forest_roots(forest.get(), roots.data(), roots.size(), &count));
         return text_of(roots.data(), count);
     }},
    {"format",
     [](Arguments& with) {
         merklize_format_info info{};
         need(merklize_format_get_info(with.text("name").c_str(), &info));
         return std::string();
     }},
    {"device",
     [](Arguments& with) {
         merklize_device* device = nullptr;
         need(merklize_device_open(with.text("name").c_str(), &device));
         merklize_device_free(device);
         return std::string();
     }},
    {"policy",
     [](Arguments& with) {
         merklize_policy policy{};
         need(merklize_policy_from_text(with.text("text").c_str(), &policy));
         return std::string();
     }},
    {"ssz",
     [](Arguments& with) {
         const std::vector<Digest> leaves = some(with.number("leaves"));
         const std::uint64_t limit = with.number("limit");
         merklize_digest root{};
         need(merklize_ssz(in_c(leaves), leaves.size(), with.has("limit") ? &limit : nullptr, nullptr, &root, nullptr));
         return text_of(root);
     }},
    {"fs_verity",
     [](Arguments& with) {
         const Bytes data = with.bytes("data"), salt(with.number("salt"));
         merklize_fs_verity_form form{};
         form.block_size = static_cast<std::uint32_t>(with.number("block_size"));
         form.salt = salt.data();
         form.salt_bytes = salt.size();
         merklize_digest root{};
         need(merklize_fs_verity(data.data(), data.size(), &form, &root, nullptr));
         return text_of(root);
     }},
    {"glacier",
     [](Arguments& with) {
         const Bytes data = with.bytes("data");
         merklize_digest root{};
         need(merklize_glacier(data.data(), data.size(), &root, nullptr));
         return text_of(root);
     }},
    {"bittorrent_v2",
     [](Arguments& with) {
         const Bytes data = with.bytes("data");
         std::vector<merklize_digest> layer(64);
         merklize_digest root{};
         std::size_t count = 0;
         need(merklize_bittorrent_v2(data.data(), data.size(), with.number("piece_length"), &root, layer.data(),
                                     layer.size(), &count, nullptr));
         return text_of(root);
     }},
    {"dm_verity",
     [](Arguments& with) {
         const Bytes data = with.bytes("data"), salt(with.number("salt"));
         merklize_dm_verity_form form{};
         form.data_block_size = static_cast<std::uint32_t>(with.number("data_block_size"));
         form.hash_block_size = static_cast<std::uint32_t>(with.number("hash_block_size"));
         form.data_blocks = with.number("data_blocks");
         form.salt = salt.data();
         form.salt_bytes = salt.size();
         merklize_dm_verity_root root{};
         need(merklize_dm_verity(data.data(), data.size(), &form, &root, nullptr));
         return hex(Bytes(root.bytes, root.bytes + root.length));
     }},
    {"piece_cid",
     [](Arguments& with) {
         const Bytes data = with.bytes("data");
         merklize_piece_cid_info piece{};
         need(merklize_piece_cid(data.data(), data.size(), &piece, nullptr));
         return std::string(piece.v2);
     }},
    {"bao_outboard",
     [](Arguments& with) {
         const Bytes data = with.bytes("data");
         merklize_bao_form form{};
         form.group_log = static_cast<std::uint32_t>(with.number("group_log"));
         std::uint64_t size = 0;
         if (form.group_log <= 20) need(merklize_bao_outboard_bytes(data.size(), &form, &size));
         Bytes out(size);
         merklize_digest root{};
         need(merklize_bao_outboard(merklize_view_bytes(data.data(), data.size()), &form,
                                    merklize_output_bytes(out.data(), out.size()), &root, nullptr));
         return blake3(view(out));
     }},
    {"openzeppelin",
     [](Arguments& with) {
         const auto tree = openzeppelin_tree_of(with);
         const merklize_digest* nodes = nullptr;
         std::uint64_t count = 0;
         need(merklize_openzeppelin_tree_nodes(tree.get(), &nodes, &count));
         return text_of(nodes[0]);
     }},
    {"openzeppelin_prove",
     [](Arguments& with) {
         const auto tree = openzeppelin_tree_of(with);
         std::vector<merklize_digest> proof(64);
         std::size_t length = 0;
         need(merklize_openzeppelin_tree_prove(tree.get(), with.number("index"), proof.data(), proof.size(), &length));
         return text_of(proof.data(), length);
     }},
    {"xmss_keys",
     [](Arguments& with) {
         const Bytes seeds = with.bytes("seeds");
         const std::size_t count = seeds.size() / 32;
         std::vector<merklize_xmss_key*> keys(count);
         need(merklize_xmss_keys(seeds.data(), count, with.number("first_epoch"), with.number("last_epoch"), nullptr,
                                 keys.data()));
         std::string text;
         for (merklize_xmss_key* key : keys) {
             merklize_digest public_key{};
             need(merklize_xmss_key_info(key, public_key.bytes, nullptr, nullptr));
             text += text_of(public_key);
             merklize_xmss_key_free(key);
         }
         return text;
     }},
    {"xmss_sign",
     [](Arguments& with) {
         const Bytes message = with.bytes("message");
         Bytes signature(MERKLIZE_XMSS_SIGNATURE_BYTES);
         need(merklize_xmss_key_sign(xmss_key().get(), with.number("epoch"), message.data(), message.size(), nullptr,
                                     signature.data()));
         return blake3(view(signature));
     }},
    {"xmss_verify",
     [](Arguments& with) {
         const Owned<merklize_xmss_key> key = xmss_key();
         const Bytes message = pattern(32);
         Bytes signature(MERKLIZE_XMSS_SIGNATURE_BYTES), public_key(32);
         need(merklize_xmss_key_info(key.get(), public_key.data(), nullptr, nullptr));
         need(merklize_xmss_key_sign(key.get(), with.number("epoch"), message.data(), message.size(), nullptr,
                                     signature.data()));
         int valid = 0;
         need(merklize_xmss_verify(public_key.data(), public_key.size(), with.number("at"), message.data(),
                                   message.size(), signature.data(), signature.size(), &valid));
         return std::string(valid ? "valid" : "not valid");
     }},
    {"value_of_pieces",
     [](Arguments& with) {
         const std::vector<Digest> leaves = some(with.number("leaves"));
         merklize_digest value{};
         need(merklize_value_of_pieces(in_c(leaves), leaves.size(), nullptr, &value));
         return text_of(value);
     }},
    {"digest_of_pieces",
     [](Arguments& with) {
         const std::vector<Digest> leaves = some(with.number("leaves"));
         Bytes out(32);
         need(merklize_digest_of_pieces(in_c(leaves), leaves.size(), nullptr, 0, out.data(), out.size()));
         return hex(out);
     }},
    {"piece_values",
     [](Arguments& with) {
         const Bytes data = with.bytes("data");
         std::vector<merklize_digest> values(8);
         std::size_t count = 0;
         need(merklize_piece_values(data.data(), data.size(), with.number("offset"), with.number("piece_size"), nullptr,
                                    values.data(), values.size(), &count, nullptr));
         return text_of(values.data(), count);
     }},
};

}  // namespace
}  // namespace surface::c

TEST("surface: rows in C") { surface::run_rows("c", surface::c::runners); }
