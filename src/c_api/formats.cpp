// Formats of trees and of files that other systems verify.
#include <cstring>
#include <optional>

#include "c_api/calls.hpp"
#include "formats/sources.hpp"

using namespace merklize::c_api;
using merklize::FormatTraits;

namespace {

void put_format(const FormatTraits& traits, merklize_format_info& out) {
    out = {.name = {},
           .hash = to_c(traits.hash),
           .rule = to_c(traits.rule),
           .hashes_messages = traits.hashes_messages ? 1u : 0u,
           .is_ambiguous = traits.is_ambiguous ? 1u : 0u,
           .piece_size = traits.piece_size};
    traits.name.copy(out.name, sizeof out.name - 1);
}

merklize::FsVerity fs_verity_form(const Call& call, const merklize_fs_verity_form* form) {
    if (form == nullptr) return {};
    merklize::FsVerity made{.salt = call.bytes(static_cast<const void*>(form->salt), form->salt_bytes, "form->salt")};
    if (form->block_size != 0) made.block_size = form->block_size;
    return made;
}

std::optional<std::uint64_t> value_or_none(const uint64_t* value) {
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

void put_piece(const merklize::PieceCid& piece, merklize_piece_cid_info& out) {
    out = {.root = to_c(piece.root),
           .bytes = piece.bytes,
           .padded_bytes = piece.padded_bytes(),
           .padding = piece.padding(),
           .height = piece.height,
           .v1 = {},
           .v2 = {}};
    piece.v1().copy(out.v1, sizeof out.v1 - 1);
    piece.v2().copy(out.v2, sizeof out.v2 - 1);
}

// The body of a function whose result is one digest.
template <class Body>
merklize_status digest_of(const char* function, merklize_digest* digest, const merklize_run_options* options,
                          Body&& body) {
    return run(function, [&](const Call& call) {
        merklize_digest& out = call.need(digest, "digest");
        const Options run(call, options);
        out = to_c(body(call, run.get()));
    });
}

}  // namespace

size_t merklize_format_count() { return merklize::formats().size(); }

merklize_status merklize_format_describe(size_t index, merklize_format_info* info) {
    return run("merklize_format_describe", [&](const Call& call) {
        merklize_format_info& out = call.need(info, "info");
        const auto all = merklize::formats();
        call.require_index(index, all.size(), "formats");
        put_format(all[index], out);
    });
}

merklize_status merklize_format_get_info(const char* name, merklize_format_info* info) {
    return run("merklize_format_get_info", [&](const Call& call) {
        merklize_format_info& out = call.need(info, "info");
        put_format(merklize::traits(merklize::format_from_name(&call.need(name, "name"))), out);
    });
}

merklize_status merklize_require_unambiguous(const merklize_tree* tree, const char* format) {
    return run("merklize_require_unambiguous", [&](const Call& call) {
        const merklize::Format of = merklize::format_from_name(&call.need(format, "format"));
        merklize::require_unambiguous(call.need(tree, "tree").value, of);
    });
}

merklize_status merklize_fs_verity(const void* data, size_t bytes, const merklize_fs_verity_form* form,
                                   merklize_digest* digest, const merklize_run_options* options) {
    return digest_of("merklize_fs_verity", digest, options, [&](const Call& call, const merklize::RunOptions& run) {
        return merklize::fs_verity(call.bytes(data, bytes, "data"), fs_verity_form(call, form), run);
    });
}

merklize_status merklize_fs_verity_file(const char* path, const merklize_fs_verity_form* form, merklize_digest* digest,
                                        const merklize_run_options* options) {
    return digest_of("merklize_fs_verity_file", digest, options,
                     [&](const Call& call, const merklize::RunOptions& run) {
                         return merklize::fs_verity_file(call.path(path, "path"), fs_verity_form(call, form), run);
                     });
}

merklize_status merklize_glacier(const void* data, size_t bytes, merklize_digest* digest,
                                 const merklize_run_options* options) {
    return digest_of("merklize_glacier", digest, options, [&](const Call& call, const merklize::RunOptions& run) {
        return merklize::glacier(call.bytes(data, bytes, "data"), run);
    });
}

merklize_status merklize_bittorrent_v2(const void* data, size_t bytes, uint64_t piece_length, merklize_digest* root,
                                       merklize_digest* layer, size_t capacity, size_t* count,
                                       const merklize_run_options* options) {
    return run("merklize_bittorrent_v2", [&](const Call& call) {
        merklize_digest& out = call.need(root, "root");
        const Options run(call, options);
        const merklize::BitTorrentFile file = merklize::bittorrent_v2(
            call.bytes(data, bytes, "data"), piece_length != 0 ? piece_length : std::uint64_t{1} << 20, run.get());
        call.put_digests(file.layers, layer, capacity, count);
        out = to_c(file.root.value_or(merklize::Digest{}));
    });
}

merklize_status merklize_ssz(const merklize_digest* chunks, size_t n, const uint64_t* limit, const uint64_t* length,
                             merklize_digest* root, const merklize_run_options* options) {
    return run("merklize_ssz", [&](const Call& call) {
        merklize_digest& out = call.need(root, "root");
        const Options run(call, options);
        out = to_c(
            merklize::ssz(call.digests(chunks, n, "chunks"), value_or_none(limit), value_or_none(length), run.get()));
    });
}

merklize_status merklize_piece_leaves(const void* data, size_t bytes, merklize_digest* leaves, size_t capacity,
                                      size_t* count) {
    return run("merklize_piece_leaves", [&](const Call& call) {
        const auto given = call.bytes(data, bytes, "data");
        if (leaves == nullptr && capacity == 0 && count != nullptr) {
            *count = merklize::runtime::piece_leaf_count(bytes);
        } else {
            call.put_digests(merklize::piece_leaves(given), leaves, capacity, count);
        }
    });
}

merklize_status merklize_piece_cid(const void* data, size_t bytes, merklize_piece_cid_info* piece,
                                   const merklize_run_options* options) {
    return run("merklize_piece_cid", [&](const Call& call) {
        merklize_piece_cid_info& out = call.need(piece, "piece");
        const Options run(call, options);
        put_piece(merklize::piece_cid(call.bytes(data, bytes, "data"), run.get()), out);
    });
}

merklize_status merklize_piece_cid_file(const char* path, merklize_piece_cid_info* piece,
                                        const merklize_run_options* options) {
    return run("merklize_piece_cid_file", [&](const Call& call) {
        merklize_piece_cid_info& out = call.need(piece, "piece");
        const Options run(call, options);
        put_piece(merklize::piece_cid_file(call.path(path, "path"), run.get()), out);
    });
}

merklize_status merklize_xet_hash(const void* data, size_t bytes, merklize_digest* digest,
                                  const merklize_run_options* options) {
    return digest_of("merklize_xet_hash", digest, options, [&](const Call& call, const merklize::RunOptions& run) {
        return merklize::xet_hash(call.bytes(data, bytes, "data"), run);
    });
}

merklize_status merklize_xet_hash_file(const char* path, merklize_digest* digest, const merklize_run_options* options) {
    return digest_of("merklize_xet_hash_file", digest, options, [&](const Call& call, const merklize::RunOptions& run) {
        return merklize::xet_hash_file(call.path(path, "path"), run);
    });
}

merklize_status merklize_xet_hash_files(const char* const* paths, size_t n, const merklize_run_options* options,
                                        merklize_file_digests** digests) {
    return run("merklize_xet_hash_files", [&](const Call& call) {
        merklize_file_digests*& out = call.result(digests, "digests");
        const Options run(call, options);
        out = new merklize_file_digests{merklize::xet_hash_files(call.paths(paths, n), run.get())};
    });
}

merklize_status merklize_xet_chunks(const void* data, size_t bytes, merklize_xet_chunk* chunks, size_t capacity,
                                    size_t* count, const merklize_run_options* options) {
    return run("merklize_xet_chunks", [&](const Call& call) {
        const Options run(call, options);
        std::vector<merklize_xet_chunk> made;
        for (const merklize::XetChunk& chunk : merklize::xet_chunks(call.bytes(data, bytes, "data"), run.get()))
            made.push_back({to_c(chunk.hash), chunk.bytes});
        call.put_items<merklize_xet_chunk>(made, chunks, capacity, count, "chunks");
    });
}

merklize_status merklize_xet_hex(const merklize_digest* digest, char* text) {
    return run("merklize_xet_hex", [&](const Call& call) {
        const std::string hex = merklize::xet_hex(from_c(call.need(digest, "digest")));
        std::memcpy(&call.need(text, "text"), hex.c_str(), hex.size() + 1);
    });
}
