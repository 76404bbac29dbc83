#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/buffer.hpp>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/error.hpp>
#include <merklize/pieces.hpp>

/// Verified streaming: with the stored nodes of BLAKE3's own tree, anybody can verify a part of a message against its
/// BLAKE3 digest, the root. The bytes are those of the crates bao 0.13 and bao-tree 0.17 (docs/bao.md).
///
/// An *outboard* holds the nodes alone, an *encoding* nodes and message, a *slice* the parts of an encoding that some
/// ranges need. A *group* is 2^group_log chunks of 1024 bytes; nodes inside a group are left out. A node is the two
/// chaining values below it, 64 bytes.
namespace merklize::inline v0 {

/// Where a node stands: before the nodes and groups below it, or behind them.
enum class BaoOrder : std::uint32_t { pre, post };

/// How the tree of a message is written down. The root does not depend on it.
struct BaoForm {
    std::uint32_t group_log = 0;  ///< 0 to 20
    BaoOrder order = BaoOrder::pre;
    bool has_size = true;  ///< the first 8 bytes are the message's size, little endian

    std::uint64_t group_bytes() const noexcept { return std::uint64_t{1024} << group_log; }
    friend bool operator==(const BaoForm&, const BaoForm&) = default;
};

/// bao 0.13: nodes above every chunk, in pre-order, behind the size.
inline constexpr BaoForm bao_form{};
/// bao-tree's outboards in groups of 16 KiB. The verifier must know the size.
inline constexpr BaoForm bao_tree_form{4, BaoOrder::pre, false};
inline constexpr BaoForm bao_tree_post_form{4, BaoOrder::post, false};

/// Data that does not match the root.
class MERKLIZE_API BaoMismatch : public Error {
public:
    using Error::Error;
};

/// Bytes of the outboard of a message of `size` bytes.
/// errors  invalid_argument (group_log; an encoding of 2^64 bytes or more)
MERKLIZE_API std::uint64_t bao_outboard_bytes(std::uint64_t size, const BaoForm& form);
/// Bytes of the encoding of a message of `size` bytes. It has the errors of bao_outboard_bytes().
MERKLIZE_API std::uint64_t bao_encoding_bytes(std::uint64_t size, const BaoForm& form);

struct BaoOutput {
    Digest root;  ///< hash() of the message
    std::vector<std::byte> bytes;
};

/// The outboard of a message in host memory, from one pass over it, because hash() computes these nodes anyway.
/// errors  invalid_argument (form), and those of hash()
MERKLIZE_API BaoOutput bao_outboard(ByteView data, const BaoForm& form = {}, const RunOptions& options = {});
/// The same into the caller's memory.
/// out      bao_outboard_bytes() bytes
/// returns  the root
MERKLIZE_API Digest bao_outboard(ByteView data, std::span<std::byte> out, const BaoForm& form,
                                 const RunOptions& options = {});
/// The same for a message in the memory of a device. The device computes the nodes.
/// order  begins after what is enqueued on options.stream; complete when it returns
/// cost   memory on the device: twice the outboard
MERKLIZE_API BaoOutput bao_outboard(const ConstBuffer& data, const BaoForm& form = {}, const RunOptions& options = {});
MERKLIZE_API Digest bao_outboard(const ConstBuffer& data, std::span<std::byte> out, const BaoForm& form,
                                 const RunOptions& options = {});
/// The same into memory of the device. Only the top node goes to the host.
/// errors  invalid_argument (out is on another device, or overlaps the message)
MERKLIZE_API Digest bao_outboard(const ConstBuffer& data, Buffer out, const BaoForm& form,
                                 const RunOptions& options = {});
/// The same of a file or block device of any size, or of a pipe.
/// fd      open for reading; the position of a file is neither used nor changed. It is not closed
/// name    for error texts
/// errors  io (it cannot be read; it changed while it was read)
/// cost    reads it once; memory for the outboard, and 32 bytes for each 256 KiB of the file
MERKLIZE_API BaoOutput bao_outboard_file(int fd, std::string_view name, const BaoForm& form = {},
                                         const RunOptions& options = {});
/// The same into the file `out`, which appears when it is whole. It takes 32 bytes of memory for each 256 KiB, and 64
/// MiB for a device. Of a pipe, or a file that does not have the size that it states (in /proc and /sys), the nodes are
/// in memory until it ends.
/// returns  the root
MERKLIZE_API Digest bao_outboard_file(int fd, std::string_view name, const BaoForm& form,
                                      const std::filesystem::path& out, const RunOptions& options = {});

/// The encoding: nodes and groups in pre-order. Computed on the CPU.
/// errors  invalid_argument (form, post-order), and those of hash()
MERKLIZE_API BaoOutput bao_encode(ByteView data, const BaoForm& form = {}, const RunOptions& options = {});
/// The same into the caller's memory, which saves a pass over new memory.
/// out      bao_encoding_bytes() bytes
/// returns  the root
MERKLIZE_API Digest bao_encode(ByteView data, std::span<std::byte> out, const BaoForm& form,
                               const RunOptions& options = {});
/// The same of what bao_outboard_file() takes into the file `out`, which appears when it is whole. What can only be
/// read in order, such as a pipe, is copied to a file without a name in the same folder first.
/// returns  the root
MERKLIZE_API Digest bao_encode_file(int fd, std::string_view name, const BaoForm& form,
                                    const std::filesystem::path& out, const RunOptions& options = {});

/// Fills `out` from byte `offset` on.
using BaoReadAt = std::function<void(std::span<std::byte> out, std::uint64_t offset)>;
/// Takes the next bytes.
using BaoWrite = std::function<void(std::span<const std::byte>)>;

/// A message with its nodes, from which slices are taken.
struct BaoSource {
    std::uint64_t size = 0;  ///< of the message
    BaoForm form{};
    BaoReadAt data{};      ///< the message; without `outboard`, its encoding
    BaoReadAt outboard{};  ///< or none
};
/// A source in host memory, which must stay as long as the source is used.
/// size    of the message, if the form has no size
/// errors  invalid_argument (fewer or more bytes than the size says)
MERKLIZE_API BaoSource bao_source(ByteView data, ByteView outboard, const BaoForm& form);
MERKLIZE_API BaoSource bao_source(ByteView encoding, const BaoForm& form, std::uint64_t size = 0);

/// The slice of some ranges of the message: the encoding without the parts that belong to no range. A reader who knows
/// only the root can verify it. Chunks are whole. Where a range cuts a group, the slice also has the nodes inside that
/// group. As in bao, an empty range takes the chunk at its start, and a range beyond the end takes the last chunk.
/// Nothing is verified here.
/// errors  invalid_argument (post-order without an outboard), and what the source throws
MERKLIZE_API void bao_slice(const BaoSource& source, std::span<const FileRange> ranges, const BaoWrite& write);
MERKLIZE_API std::vector<std::byte> bao_slice(const BaoSource& source, std::span<const FileRange> ranges);

/// Verifies an encoding or a slice that comes in order, item by item, and gives out verified bytes only.
///
///     while (const std::size_t n = decoder.wants()) write(decoder.take(read(n)));
class MERKLIZE_API BaoDecoder {
public:
    /// For an encoding: decodes the whole message.
    /// size    of the message if the form has none; it need not be trusted
    /// errors  invalid_argument (form)
    BaoDecoder(const Digest& root, const BaoForm& form, std::uint64_t size = 0);
    /// For a slice that was made with the same ranges and form.
    BaoDecoder(const Digest& root, std::span<const FileRange> ranges, const BaoForm& form, std::uint64_t size = 0);
    BaoDecoder(BaoDecoder&&) noexcept;
    BaoDecoder& operator=(BaoDecoder&&) noexcept;
    ~BaoDecoder();

    /// Number of bytes that take() takes next: at most 272 KiB, or a group. 0: all is verified, and nothing may follow.
    std::size_t wants() const noexcept;
    /// Verifies the next bytes.
    /// data     wants() bytes
    /// returns  the bytes of the message among them: whole chunks, empty if there are none. They stay until the next
    ///          call
    /// errors   BaoMismatch (after which nothing more is taken); invalid_argument (another number of bytes)
    std::span<const std::byte> take(std::span<const std::byte> data);
    /// Where the bytes of the last take() begin in the message.
    std::uint64_t offset() const noexcept;
    /// The message's size as it was stated. It is proven once the last chunk is verified.
    std::uint64_t size() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The message of an encoding.
/// errors  BaoMismatch; invalid_argument (truncated, or bytes follow it)
MERKLIZE_API std::vector<std::byte> bao_decode(ByteView encoding, const Digest& root, const BaoForm& form = {},
                                               std::uint64_t size = 0);
/// The bytes of one range of the message, from its slice: fewer than asked for where the message ends.
MERKLIZE_API std::vector<std::byte> bao_decode_slice(ByteView slice, const Digest& root, const FileRange& range,
                                                     const BaoForm& form = {}, std::uint64_t size = 0);

/// Bytes of a message that cannot be verified.
struct BaoFault {
    std::uint64_t offset, bytes;
    bool in_outboard;  ///< the outboard is wrong there, and the message unknown; else the message is wrong
    friend bool operator==(const BaoFault&, const BaoFault&) = default;
};

/// What a message is verified against.
struct BaoTrust {
    Digest root;
    std::span<const std::byte> outboard;
    BaoForm form{};
};

/// Verifies a part of a message against the root.
/// part     bytes [offset, offset + part.size()) of it: from the beginning of a group to the end of one, or of the
///          message
/// size     of the message
/// returns  the wrong ranges in order, neighbours joined. Empty: all bytes match the root
/// errors   invalid_argument (a part that does not end as above, or is empty although the message is not; an outboard
///          whose length or stated size does not match `size`)
/// cost     reads the part once, and the nodes of the outboard above it
MERKLIZE_API std::vector<BaoFault> bao_verify(ByteView part, std::uint64_t offset, std::uint64_t size,
                                              const BaoTrust& trust, const RunOptions& options = {});
/// The same for a range of a file or block device, widened to whole groups, by all threads of the CPU. An empty range
/// takes the group at its start; beyond the end, the last group. UINT64_MAX bytes go to the end. What can only be read
/// in order is copied to the folder for temporary files first.
/// errors  io (it cannot be read; it changed while it was read), invalid_argument (bytes that are not all in it)
MERKLIZE_API std::vector<BaoFault> bao_verify_file(int fd, std::string_view name, const FileRange& range,
                                                   const BaoTrust& trust, const RunOptions& options = {});

}  // namespace merklize::inline v0
