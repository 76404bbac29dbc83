// `merklize bao outboard`, `encode` and `slice`.
#include <sys/stat.h>

#include <cstring>
#include <filesystem>

#include "bao/write.hpp"
#include "command/bao/common.hpp"
#include "command/line/options.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/settings.hpp"
#include "host/invalid.hpp"
#include "texts/json.hpp"

namespace merklize::command {
namespace {

using BaoKind = runtime::Placer::Kind;

// Whether the path is a regular file or does not exist yet, so that a new file can take its place.
bool is_file(const std::string& path) {
    struct stat info;
    return !is_url(path) && (stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode));
}

// Reports the root after the bytes went into a file.
int report(Call& call, const Arguments& arguments, const Digest& root, const std::optional<std::string>& out) {
    if (!out) return 0;
    call.has_made(sentence(shown_name(call, *out)) + " has been written");
    if (!arguments.has("json")) {
        call.line(root.hex());
        return 0;
    }
    const BaoForm form = bao_form_of(arguments);
    call.line(json::Object()
                  .name("file", shown_name(call, arguments.words()[0]))
                  .text("root", root.hex())
                  .number("group_size", form.group_bytes())
                  .text("order", form.order == BaoOrder::pre ? "pre" : "post")
                  .number("has_size", form.has_size)
                  .name("output", shown_name(call, *out))
                  .done());
    return 0;
}

void write_to(Call& call, const std::optional<std::string>& out, std::span<const std::byte> bytes) {
    Target target(call, out);
    target.write(bytes);
    target.finish();
}

int run_bao_outboard(Call& call, const Arguments& arguments) {
    const BaoForm form = bao_form_of(arguments);
    const auto out = output_of(call, arguments);
    if (arguments.has("json") && !out) throw UsageError{"--json needs -o: standard output has the outboard"};
    RunOptions options = run_options(call, arguments);
    const auto opened = open_input(call, arguments.words()[0]);
    const runtime::ByteSource& input = *opened;
    Digest root;
    Bar bar(call, "hashing");
    options.progress = bar.part_of(input);
    const PublicCall entry("bao outboard");
    if (out && is_file(*out)) {
        root = runtime::bao_of(input, form, BaoKind::outboard, *out, options);
    } else {
        const BaoOutput made = runtime::bao_of(input, form, BaoKind::outboard, options);
        write_to(call, out, made.bytes);
        root = made.root;
    }
    return report(call, arguments, root, out);
}

int run_bao_encode(Call& call, const Arguments& arguments) {
    const PublicCall entry("bao encode");
    const BaoForm form = bao_form_of(arguments);
    const auto out = output_of(call, arguments);
    if (arguments.has("json") && !out) throw UsageError{"--json needs -o: standard output has the encoding"};
    if (form.order != BaoOrder::pre) throw UsageError{"--format bao_tree_post is of outboards alone"};
    RunOptions options = run_options(call, arguments);
    const std::string& name = arguments.words()[0];
    const bool in_place = out && is_file(*out);
    const auto opened = in_place ? open_input(call, name) : open_for_ranges(call, name, UINT64_MAX);
    const runtime::ByteSource& input = *opened;
    Digest root;
    Bar bar(call, "hashing");
    options.progress = bar.part_of(input);
    if (in_place) {
        root = runtime::bao_of(input, form, BaoKind::encoding, *out, options);
    } else {
        // In pre-order nodes come before their children, so a stream needs all nodes first.
        const auto extent = runtime::require_extent(input);
        const BaoOutput nodes = runtime::bao_of(input, form, BaoKind::outboard, options);
        Target target(call, out);
        bao_slice({extent.bytes, form, reads_of(input, extent), reads_of(nodes.bytes)}, {{{0, extent.bytes}}},
                  [&](std::span<const std::byte> bytes) { target.write(bytes); });
        input.require_unchanged(extent.identity);
        target.finish();
        root = nodes.root;
    }
    return report(call, arguments, root, out);
}

int run_bao_slice(Call& call, const Arguments& arguments) {
    const std::string& name = arguments.words()[0];
    const BaoForm form = bao_form_of(arguments);
    const auto ranges = ranges_of(arguments);
    if (ranges.empty()) throw UsageError{"Missing option '--range'."};
    const auto out = output_of(call, arguments), outboard = arguments.value("outboard");
    if (outboard) refuse_unused(arguments, "--outboard", {"size"});
    BaoMessage opened;
    BaoSource source{.form = form};
    naming(shown_name(call, outboard.value_or(name)), [&] {
        if (outboard) {
            opened = open_message(call, name, *outboard, form, nullptr, 0);
            source.size = opened.extent.bytes;
            source.data = reads_of(*opened.input, opened.extent);
            source.outboard = reads_of(opened.outboard);
            return;
        }
        source.size = stated_size(arguments, form);
        const auto most = [&](std::span<const std::byte, sizeof(std::uint64_t)> begin) {
            std::uint64_t size = source.size;
            if (form.has_size) std::memcpy(&size, begin.data(), sizeof size);
            const std::uint64_t bytes = bao_encoding_bytes(size, form);
            std::error_code unknown;
            const auto room = std::filesystem::space(std::filesystem::temp_directory_path(), unknown).available;
            if (!unknown && bytes > room)
                throw Failure{"the encoding must have " + std::to_string(bytes) +
                              " bytes, and the folder for temporary files (TMPDIR) has room for " +
                              std::to_string(room)};
            return bytes;
        };
        opened.input = open_for_ranges(call, name, sizeof(std::uint64_t), most);
        opened.extent = runtime::require_extent(*opened.input);
        source.data = reads_of(*opened.input, opened.extent);
        if (form.has_size && opened.extent.bytes >= sizeof source.size)
            source.data(std::as_writable_bytes(std::span(&source.size, 1)), 0);
        const PublicCall entry("bao");
        runtime::require_encoding(opened.extent.bytes, source.size, form);
    });
    Target target(call, out);
    bao_slice(source, ranges, [&](std::span<const std::byte> bytes) { target.write(bytes); });
    opened.input->require_unchanged(opened.extent.identity);
    target.finish();
    return 0;
}

constexpr Option bao_outboard_options[] = {options::bao_output, options::bao_format, options::bao_group,
                                           options::device,     options::threads,    options::threads_too,
                                           options::policy,     options::json,       options::help};
constexpr Option bao_encode_options[] = {options::bao_output, options::bao_format,  options::bao_group,
                                         options::threads,    options::threads_too, options::json,
                                         options::help};
constexpr Option bao_slice_options[] = {
    {"range", 0, "START,LENGTH", "Bytes of the message; may be given several times."},
    {"outboard", 0, "FILE", "INPUT is the message, and FILE its outboard."},
    options::bao_output,
    options::bao_format,
    options::bao_group,
    options::bao_size,
    options::help,
};

}  // namespace

extern constinit const Command bao_outboard_command{
    .name = "outboard",
    .arguments = "INPUT",
    .summary = "Write the nodes of a file's tree.",
    .help =
        "Write the nodes of INPUT's BLAKE3 tree (- is standard input), by which anybody can verify parts of it. With "
        "-o, print the root.\n\n"
        "An outboard has 0.4 % of the file's size with groups of 16 KiB, 6 % with groups of 1 KiB.",
    .options = bao_outboard_options,
    .run = run_bao_outboard,
    .takes_urls = true,
};

extern constinit const Command bao_encode_command{
    .name = "encode",
    .arguments = "INPUT",
    .summary = "Write a file with the nodes of its tree in place.",
    .help =
        "Write the encoding of INPUT (- is standard input): its bytes, with the nodes of its BLAKE3 tree between them. "
        "With -o, print the root.",
    .options = bao_encode_options,
    .run = run_bao_encode,
    .takes_urls = true,
};

extern constinit const Command bao_slice_command{
    .name = "slice",
    .arguments = "INPUT",
    .summary = "Write what verifies some bytes of the message.",
    .help =
        "Write the slice of some bytes of the message, for somebody who knows only its root. INPUT is an encoding, or "
        "with --outboard the message. Nothing is verified here.",
    .options = bao_slice_options,
    .run = run_bao_slice,
    .takes_urls = true,
};

}  // namespace merklize::command
