// Digests with the values of pieces.
#include <vector>

#include "c_api/calls.hpp"

using namespace merklize::c_api;
using merklize::Digest;
using merklize::PieceDigests;

merklize_status merklize_hash_pieces(merklize_view data, uint64_t piece_size, merklize_digest* digest,
                                     merklize_digest* pieces, size_t capacity, size_t* count,
                                     const merklize_run_options* options) {
    return run("merklize_hash_pieces", [&](const Call& call) {
        merklize_digest& out = call.need(digest, "digest");
        const Options run(call, options);
        const PieceDigests made = call.on_device(data, "data")
                                      ? merklize::hash_pieces(data.buffer->value, piece_size, run.get())
                                      : merklize::hash_pieces(call.bytes(data, "data"), piece_size, run.get());
        call.put_digests(made.pieces, pieces, capacity, count);
        out = to_c(made.digest);
        run.finish();
    });
}

merklize_status merklize_hash_file_ranges(int descriptor, const char* name, const merklize_file_range* ranges,
                                          size_t n_ranges, uint64_t piece_size, merklize_digest* digests,
                                          merklize_digest* pieces, size_t capacity, size_t* count,
                                          const merklize_run_options* options) {
    return run("merklize_hash_file_ranges", [&](const Call& call) {
        std::vector<merklize::FileRange> wanted;
        for (const auto& [offset, bytes] : call.items(ranges, n_ranges, "ranges")) wanted.push_back({offset, bytes});
        const auto out = call.digests(digests, n_ranges, "digests");
        const Options run(call, options);
        const auto made =
            merklize::hash_file_ranges(descriptor, descriptor_name(descriptor, name), wanted, piece_size, run.get());
        std::vector<Digest> values;
        for (const PieceDigests& one : made) values.insert(values.end(), one.pieces.begin(), one.pieces.end());
        call.put_digests(values, pieces, capacity, count);
        for (size_t i = 0; i < n_ranges; i++) out[i] = made[i].digest;
        run.finish();
    });
}

merklize_status merklize_piece_values(const void* part, size_t bytes, uint64_t offset, uint64_t piece_size,
                                      const merklize_mode* mode, merklize_digest* pieces, size_t capacity,
                                      size_t* count, const merklize_run_options* options) {
    return run("merklize_piece_values", [&](const Call& call) {
        const Options run(call, options);
        const auto values =
            merklize::piece_values(call.bytes(part, bytes, "part"), offset, piece_size, call.mode(mode), run.get());
        call.put_digests(values, pieces, capacity, count);
        run.finish();
    });
}

merklize_status merklize_value_of_pieces(const merklize_digest* pieces, size_t n, const merklize_mode* mode,
                                         merklize_digest* value) {
    return run("merklize_value_of_pieces", [&](const Call& call) {
        merklize_digest& out = call.need(value, "value");
        out = to_c(merklize::value_of_pieces(call.digests(pieces, n, "pieces"), call.mode(mode)));
    });
}

merklize_status merklize_digest_of_pieces(const merklize_digest* pieces, size_t n, const merklize_mode* mode,
                                          uint64_t seek, uint8_t* out, size_t out_bytes) {
    return run("merklize_digest_of_pieces", [&](const Call& call) {
        merklize::digest_of_pieces(call.digests(pieces, n, "pieces"), call.bytes(out, out_bytes, "out"), seek,
                                   call.mode(mode));
    });
}
