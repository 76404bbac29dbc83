#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command/settings.hpp"
#include "digests/chunk_tree.hpp"
#include "host/input_file.hpp"
#include "merklize/hash.hpp"

namespace merklize::command {

/// How all inputs of one run are hashed.
struct HashJob {
    Hash hash = Hash::blake3;
    bool is_xet = false;  ///< xet, the hash of the Hugging Face hub, in place of `hash`
    Mode mode{};
    bool has_key = false;  ///< standard input holds the key
    std::uint64_t length = Digest::size, seek = 0;
    RunOptions options{};
    bool timed = false;
    Timings times{};  ///< of all inputs so far
    std::mutex guards_times{};
};

/// Longer outputs are made and written in pieces of this size.
inline constexpr std::size_t digest_piece = 1 << 20;

/// The digest or the error of one input.
struct HashResult {
    std::string path{};
    std::string error{};                  ///< why there is no digest; empty: there is one
    std::vector<std::byte> digest{};      ///< job.length bytes, if that is at most digest_piece
    std::optional<runtime::Node> root{};  ///< of a longer output, which each_piece() makes from it
    bool is_folder = false;               ///< the input failed because it is a folder
    bool is_missing = false;              ///< the input failed because there is none
};

/// Hashes an open input into `result`. Errors about the input go into result.error.
/// extent   of the input
/// options  those of the job, or those of one thread
/// before   called before a read of a rotational disk; only with one thread
void hash_input(const runtime::InputFile& file, const std::optional<runtime::InputFile::Extent>& stated, HashJob& job,
                const RunOptions& options, HashResult& result, const runtime::InputFile::BeforeDisk& before = {});
/// The same for an object of a store.
void hash_object(const runtime::ByteSource& object, HashJob& job, const RunOptions& options, HashResult& result);
/// Notes why an input failed, without its name, which the caller's line has.
void note_error(const Error& error, HashResult& result);

/// Calls use() with the bytes of the digest, piece by piece.
void each_piece(const HashResult& result, const HashJob& job,
                const std::function<void(std::span<const std::byte>)>& use);

}  // namespace merklize::command
