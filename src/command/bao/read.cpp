// `merklize bao decode` and `verify`.
#include <algorithm>

#include "bao/shape.hpp"
#include "bao/verify.hpp"
#include "command/bao/common.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/settings.hpp"
#include "digests/file_root.hpp"
#include "host/invalid.hpp"
#include "texts/json.hpp"

namespace merklize::command {
namespace {

// The requested bytes of the message: all, or those of the ranges, in order.
class Wanted {
public:
    explicit Wanted(std::vector<FileRange> ranges) : ranges_(std::move(ranges)) {
        std::ranges::sort(ranges_, {}, &FileRange::offset);
    }

    bool is_all() const noexcept { return ranges_.empty(); }
    const std::vector<FileRange>& ranges() const noexcept { return ranges_; }

    /// Calls use() with the requested parts of these bytes.
    template <class Use>
    void each_part(std::span<const std::byte> data, std::uint64_t offset, const Use& use) const {
        if (is_all()) return use(data);
        std::uint64_t at = offset;
        const std::uint64_t end = offset + data.size();
        for (const auto& [start, bytes] : ranges_) {
            const std::uint64_t first = std::clamp(start, at, end);
            const std::uint64_t last = std::clamp(start + std::min(bytes, UINT64_MAX - start), first, end);
            if (first < last) use(data.subspan(first - offset, last - first));
            at = std::max(at, last);
        }
    }

private:
    std::vector<FileRange> ranges_;
};

// Reads an encoding, or the slice of ranges, in order.
// use      called with verified bytes and their offset in the message
// returns  the message's size
// errors   BaoMismatch; if no byte was verified, its text says what the input must be
template <class Use>
std::uint64_t decode(Call& call, const runtime::ByteSource& input, const Arguments& arguments, const Wanted& wanted,
                     const Use& use) {
    const BaoForm form = bao_form_of(arguments);
    const std::uint64_t size = stated_size(arguments, form);
    const Digest root = required_digest(arguments, "root");
    BaoDecoder decoder = wanted.is_all() ? BaoDecoder(root, form, size) : BaoDecoder(root, wanted.ranges(), form, size);
    InOrder bytes(call, input);
    std::vector<std::byte> item;
    std::uint64_t done = 0;
    bool is_any = false;
    try {
        while (const std::size_t n = decoder.wants()) {
            item.resize(n);
            const std::size_t count = bytes.read(item);
            if (count < n) {
                throw BaoMismatch(ErrorCode::invalid_argument, "truncated: " + std::to_string(n) +
                                                                   " bytes must follow byte " + std::to_string(done) +
                                                                   ", and there are " + std::to_string(count));
            }
            const auto data = decoder.take(item);
            is_any = is_any || !data.empty();
            done += n;
            use(data, decoder.offset());
        }
    } catch (const BaoMismatch& error) {
        if (is_any) throw;
        throw BaoMismatch(error.code(), std::string(error.what()) +
                                            "; without --outboard INPUT must be an encoding, or with --range a slice");
    }
    std::byte more;
    if (bytes.read(std::span(&more, 1)) != 0)
        throw BaoMismatch(ErrorCode::invalid_argument, "bytes follow its end at " + std::to_string(done));
    if (input.file() == nullptr) input.require_unchanged({});
    return decoder.size();
}

// Reads a message window by window, verifies it by its outboard, and writes the requested bytes.
template <class Use>
void read_verified(Call& call, const BaoMessage& message, const Arguments& arguments, const Wanted& wanted,
                   const Use& use) {
    const BaoForm form = bao_form_of(arguments);
    const runtime::ByteSource& input = *message.input;
    const auto [position, size, identity] = message.extent;
    const BaoTrust trust{required_digest(arguments, "root"), message.outboard, form};
    const std::uint64_t window = std::max<std::uint64_t>(form.group_bytes(), 8 << 20);
    const runtime::Shape shape(size, form.group_log);
    const runtime::Selection selection =
        wanted.is_all() ? runtime::Selection(shape) : runtime::Selection(shape, wanted.ranges());
    std::vector<std::byte> data;
    std::uint64_t offset = 0;
    do {
        const std::uint64_t bytes = std::min(window, size - offset);
        const std::uint64_t end_chunk = std::max<std::uint64_t>(1, (offset + bytes + 1023) / 1024);
        if (selection.cover(offset / 1024, end_chunk) != runtime::Selection::Cover::none) {
            data.resize(bytes);
            input.read_at(data, position + offset);
            for (const BaoFault& fault : bao_verify(data, offset, size, trust, run_options(call, arguments)))
                throw BaoMismatch(ErrorCode::invalid_argument, fault_text(fault));
            use(std::span<const std::byte>(data), offset);
        }
        offset += bytes;
    } while (offset < size);
    input.require_unchanged(identity);
}

// Whether the input is a plain file with this digest, not an encoding.
bool is_message(Call& call, const Arguments& arguments, const Digest& root) {
    const std::string& name = arguments.words()[0];
    if (name == standard_input_name) return false;
    const auto input = open_input(call, name);
    if (!input->extent()) return false;  // it may have no end
    Digest digest;
    runtime::hash_source(*input, Hash::blake3, digest.bytes, 0, run_options(call, arguments));
    return digest == root;
}

std::string ranges_json(const std::vector<FileRange>& ranges) {
    json::Array all;
    for (const auto& [offset, bytes] : ranges)
        all.put(json::Object().number("offset", offset).number("bytes", bytes).done());
    return all.done();
}

BaoMessage open_message(Call& call, const Arguments& arguments, const Wanted& wanted) {
    refuse_unused(arguments, "--outboard", {"size"});
    const Digest root = required_digest(arguments, "root");
    return open_message(call, arguments.words()[0], arguments.value("outboard").value_or(""), bao_form_of(arguments),
                        &root, wanted.is_all() ? UINT64_MAX : 0);
}

int run_bao_decode(Call& call, const Arguments& arguments) {
    const std::string& name = arguments.words()[0];
    const Wanted wanted(ranges_of(arguments));
    required_digest(arguments, "root");
    const auto out = output_of(call, arguments);
    Target target(call, out);
    const auto put = [&](std::span<const std::byte> data, std::uint64_t offset) {
        wanted.each_part(data, offset, [&](std::span<const std::byte> part) { target.write(part); });
    };
    naming(shown_name(call, name), [&] {
        if (arguments.has("outboard")) {
            read_verified(call, open_message(call, arguments, wanted), arguments, wanted, put);
        } else {
            decode(call, *open_input(call, name), arguments, wanted, put);
        }
    });
    target.finish();
    return 0;
}

int run_bao_verify(Call& call, const Arguments& arguments) {
    const std::string& name = arguments.words()[0];
    const Digest root = required_digest(arguments, "root");
    const Wanted wanted(ranges_of(arguments));
    const auto outboard = arguments.value("outboard");
    std::vector<std::string> reasons;
    json::Array faults;
    Verified verified;
    std::uint64_t size = 0;
    try {
        if (outboard) {
            const BaoForm form = bao_form_of(arguments);
            const BaoMessage message = open_message(call, arguments, wanted);
            size = message.extent.bytes;
            RunOptions options = run_options(call, arguments);
            const auto ranges = wanted.is_all() ? std::vector<FileRange>{{0, size}} : wanted.ranges();
            Bar bar(call, "verifying", ranges.size());
            const PublicCall entry("bao verify");
            for (const FileRange& asked : ranges) {  // cut at the end, as slices are
                const std::uint64_t begin = std::min(asked.offset, size);
                const FileRange range{begin, std::min(asked.bytes, size - begin)};
                options.progress = bar.part(1, range.bytes);
                verified.add(runtime::Shape(size, form.group_log).groups_of(range));
                for (const BaoFault& fault :
                     runtime::verify_source(*message.input, range, {root, message.outboard, form}, options).faults) {
                    reasons.push_back(fault_text(fault));
                    faults.put(json::Object()
                                   .number("offset", fault.offset)
                                   .number("bytes", fault.bytes)
                                   .number("in_outboard", fault.in_outboard)
                                   .done());
                }
            }
        } else {
            size = decode(
                call, *open_input(call, name), arguments, wanted,
                [&](std::span<const std::byte> data, std::uint64_t offset) { verified.add({offset, data.size()}); });
        }
    } catch (const BaoMismatch& error) {
        reasons.emplace_back(error.what());
        if (!outboard && verified.is_none() && is_message(call, arguments, root)) {
            throw UsageError{sentence(shown_name(call, name)) +
                             " is the message itself, and its digest is the root: give --outboard to verify its parts"};
        }
    }
    if (arguments.has("json")) {
        json::Array texts;
        for (const std::string& reason : reasons) texts.put(json::text(reason));
        call.line(json::Object()
                      .name("file", shown_name(call, name))
                      .number("valid", reasons.empty())
                      .text("root", root.hex())
                      .number("size", size)
                      .number("size_verified", reasons.empty() && verified.reaches(size))
                      .put("verified", reasons.empty() ? ranges_json(verified.ranges()) : "[]")
                      .put("reasons", texts.done())
                      .put("faults", faults.done())
                      .done());
    } else if (reasons.empty()) {
        call.line("valid: " + verified.text(size));
    } else {
        for (const std::string& reason : reasons) call.line("NOT valid: " + reason);
    }
    return reasons.empty() ? 0 : 1;
}

constexpr Option bao_decode_options[] = {
    options::bao_root,
    {"range", 0, "START,LENGTH", "INPUT is the slice of these bytes; with --outboard: write only these."},
    {"outboard", 0, "FILE", "INPUT is the message, and FILE its outboard."},
    options::bao_output,
    options::bao_format,
    options::bao_group,
    options::bao_size,
    options::threads,
    options::threads_too,
    options::help,
};
constexpr Option bao_verify_options[] = {
    options::bao_root,
    {"range", 0, "START,LENGTH",
     "INPUT is the slice of these bytes; with --outboard: verify only the groups they are in."},
    {"outboard", 0, "FILE", "INPUT is the message, and FILE its outboard."},
    options::bao_format,
    options::bao_group,
    options::bao_size,
    options::threads,
    options::threads_too,
    options::json,
    options::help,
};

}  // namespace

extern constinit const Command bao_decode_command{
    .name = "decode",
    .arguments = "INPUT",
    .summary = "Verify an encoding or a slice, and write the message.",
    .help =
        "Verify INPUT (- is standard input), an encoding, a slice, or a message with its outboard, and write the "
        "message.\n\n"
        "Only verified bytes are written; with -o, the file appears only if all bytes are verified.",
    .options = bao_decode_options,
    .run = run_bao_decode,
    .takes_urls = true,
};

extern constinit const Command bao_verify_command{
    .name = "verify",
    .arguments = "INPUT",
    .summary = "Verify a file by its outboard, or an encoding, or a slice.",
    .help =
        "Verify INPUT and say what is wrong, and where. Exit code 0: all is as the root says; 1: something is not.\n\n"
        "The size is verified with the last bytes; until then it is a claim of INPUT.",
    .options = bao_verify_options,
    .run = run_bao_verify,
    .takes_urls = true,
};

}  // namespace merklize::command
