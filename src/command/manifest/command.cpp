// `merklize manifest`.
#include <algorithm>
#include <filesystem>

#include "command/endings.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/settings.hpp"
#include "command/urls.hpp"
#include "files/storage.hpp"
#include "manifests/create.hpp"
#include "manifests/disk.hpp"
#include "manifests/names.hpp"
#include "merklize/manifest.hpp"
#include "texts/json.hpp"

namespace merklize::command {
namespace {

using manifests::Difference;
using manifests::Differences;
using manifests::File;
using manifests::Kind;
using manifests::Manifest;
using manifests::Shard;
using manifests::Tensor;

// The path of the weights, if the manifest lies where they are.
std::string beside(const std::string& file, const Manifest& known) {
    if (known.kind == Kind::tensors)
        throw UsageError{"the manifest is of tensors in memory: PATH must say what to check"};
    const std::size_t slash = file.rfind('/');
    const std::string folder = slash == file.npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
    return known.name ? (slash == file.npos      ? ""
                         : folder.ends_with('/') ? folder
                                                 : folder + "/") +
                            *known.name
                      : folder;
}

// Refuses to write the manifest over a file that it lists.
void require_no_source(const Manifest& manifest, const std::string& path, const std::string& target) {
    const runtime::Storage to(target);
    const std::filesystem::path input(path),
        folder = manifest.name && !std::filesystem::is_directory(input) ? input.parent_path() : input;
    const auto refuse_same = [&](const auto& entries) {
        for (const auto& entry : entries) {
            const std::filesystem::path file = folder / entry.path;
            if (file == target || to.overwrites(runtime::Storage(file)))
                throw Failure{sentence(target) + " is one of the files that the manifest lists; exclude it from them"};
        }
    };
    refuse_same(manifest.shards);
    refuse_same(manifest.files);
}

// Refuses to write the manifest of a folder over a file of that folder that is no manifest: the file would be lost.
void require_own(const std::string& folder, const std::string& target) {
    std::error_code none;
    const std::filesystem::path file = std::filesystem::canonical(target, none),
                                top = std::filesystem::canonical(folder, none);
    if (!std::filesystem::is_directory(top, none) || std::filesystem::file_size(file, none) == 0 || none ||
        std::ranges::mismatch(top, file).in1 != top.end())
        return;
    try {
        manifests::load(file);
    } catch (const Error&) {
        throw Failure{sentence(target) + " is a file of the folder and no manifest: write to another file"};
    }
}

Manifest load(Call& call, const std::string& file) { return manifests::load(*open_input(call, file), call.waiting()); }

// The URL of the file or index itself, if `url` names its folder.
std::string url_in(const Manifest& known, const std::string& url) {
    return known.name && url.ends_with('/') ? url + *known.name : url;
}

void write_lines(Call& call, const Differences& differences) {
    for (const Difference& difference : differences) call.line(difference.sentence());
}

void write_json(Call& call, json::Object& fields, const Differences& differences) {
    json::Array list;
    for (const Difference& difference : differences) list.put(difference.json());
    fields.put("differences", list.done());
    call.line(json::indented(fields.done(), 1));
}

// A root over a part of a model looks like any other.
void warn_of_missing(Call& call, const std::vector<std::string>& missing) {
    if (missing.empty()) return;
    constexpr std::size_t most = 5;
    std::string names;
    for (std::size_t i = 0; i < std::min(missing.size(), most); i++)
        names += (i == 0 ? "" : ", ") + sentence(missing[i]);
    if (missing.size() > most) names += " and " + std::to_string(missing.size() - most) + " more";
    call.complain("WARNING: not there, although an index of shards names it: " + names);
}

std::string shape_of(const Tensor& tensor) {
    json::Array shape;
    for (const std::uint64_t extent : tensor.shape) shape.put(std::to_string(extent));
    return shape.done();
}

// The first digits of a digest, because a whole one fills a line.
std::string shown(const Digest& digest) { return digest.hex().substr(0, 16); }

void show_json(Call& call, const Manifest& known) {
    json::Array tensors, files;
    for (const Tensor& tensor : known.tensors) {
        json::Object fields;
        fields.text("name", tensor.name).text("dtype", tensor.dtype).put("shape", shape_of(tensor));
        tensors.put(fields.number("bytes", tensor.size).text("digest", tensor.digest.hex()).done());
    }
    for (const File& file : known.files) {
        json::Object fields;
        files.put(fields.text("name", file.path).number("bytes", file.size).text("digest", file.digest.hex()).done());
    }
    json::Object all;
    all.text("root", known.root.hex()).text("kind", manifests::name_of(known.kind)).number("bytes", known.bytes());
    if (known.digest == manifests::DigestKind::tiles) all.text("digest", manifests::tiles_name);
    call.line(json::indented(all.put("tensors", tensors.done()).put("files", files.done()).done(), 1));
}

int run_manifest_create(Call& call, const Arguments& arguments) {
    const std::string& path = arguments.words()[0];
    const auto target = arguments.value("output");
    std::error_code none;
    const bool is_to_file = target && *target != "-" && (is_url(*target) || !std::filesystem::is_other(*target, none));
    manifests::Options options{.ignore = manifests::plain_patterns(arguments.values("ignore")),
                               .follow_links = arguments.has("follow-links")};
    options.piece_size = size_value(arguments, "piece-size").value_or(options.piece_size);
    if (is_url(path)) refuse_unused(arguments, "a URL", {"follow-links"});
    if (arguments.has("tiles")) options.digest = manifests::DigestKind::tiles;
    if (is_to_file) {
        require_own(path, *target);
        options.exclude = *target;
    }
    RunOptions run = run_options(call, arguments);
    Manifest manifest;
    {
        Bar bar(call, "hashing");
        run.progress = bar.part_of(path);
        if (is_url(path)) {
            manifests::require_piece_size(options.piece_size);
            const auto place = call.caller().opener()->find_weights(path, options.ignore, options.exclude, run);
            manifest = manifests::create(place.source, *place.storage, options, run);
        } else {
            manifests::require_piece_size(options.piece_size);
            const auto source =
                manifests::find_source(path, options.ignore, options.follow_links, options.exclude, call.waiting());
            const auto storage = manifests::open_disk(source.folder, options.follow_links, run.threads);
            manifest = manifests::create(source, *storage, options, run);
            for (const std::string& pattern : source.unmatched)
                call.complain("WARNING: --ignore '" + sentence(pattern) + "' left nothing out");
        }
    }
    if (target && *target != "-") require_no_source(manifest, path, *target);
    Target out(call, target);
    out.write(to_json(manifest, !arguments.has("portable")));
    out.finish();
    warn_of_missing(call, manifest.missing);
    if (is_to_file) call.line(manifest.root.hex() + "  " + sentence(shown_name(call, *target)));
    return 0;
}

int run_manifest_refresh(Call& call, const Arguments& arguments) {
    const std::string& file = arguments.words()[0];
    if (file == standard_input_name) throw UsageError{"MANIFEST is written again, so it cannot be standard input"};
    RunOptions run = run_options(call, arguments);
    const Manifest known = load(call, file);
    const manifests::RefreshOptions options{arguments.has("all"), arguments.has("follow-links"), file};
    const std::string path = arguments.words().size() > 1 ? arguments.words()[1] : beside(file, known);
    if (is_url(path)) refuse_unused(arguments, "a URL", {"follow-links"});
    manifests::Refreshed refreshed;
    {
        Bar bar(call, "hashing");
        run.progress = bar.part(1, known.bytes());
        if (is_url(path)) {
            manifests::require_files(known);
            const auto place = call.caller().opener()->find_weights(url_in(known, path), known.ignore, file, run);
            refreshed = manifests::refresh(known, place.source, *place.storage, options.everything, run);
        } else {
            refreshed = manifests::refresh(known, path, options, run);
        }
    }
    require_no_source(refreshed.manifest, path, file);
    Target out(call, file);
    out.write(to_json(refreshed.manifest, !known.seen.empty()));
    out.finish();
    for (const std::string& name : refreshed.hashed) call.line("hashed  " + sentence(name));
    call.line(std::to_string(refreshed.hashed.size()) + " of " +
              std::to_string(refreshed.hashed.size() + refreshed.kept.size()) + " files hashed; " +
              std::to_string(refreshed.kept.size()) + " kept, whose size, time and inode are the same");
    write_lines(call, diff(known, refreshed.manifest));
    warn_of_missing(call, refreshed.manifest.missing);
    call.line(refreshed.manifest.root.hex() + "  " + sentence(shown_name(call, file)));
    return 0;
}

int run_manifest_check(Call& call, const Arguments& arguments) {
    const std::string& file = arguments.words()[0];
    RunOptions run = run_options(call, arguments);
    const Manifest known = load(call, file);
    const std::string own = file == standard_input_name ? "" : file;
    const manifests::CheckOptions options{arguments.values("only"), arguments.has("follow-links"), own};
    const std::string path = arguments.words().size() > 1 ? arguments.words()[1] : beside(file, known);
    if (is_url(path)) refuse_unused(arguments, "a URL", {"follow-links"});
    manifests::Report report;
    {
        Bar bar(call, "checking");
        run.progress = bar.part(1, options.only.empty() ? known.bytes() : 0);
        if (is_url(path)) {
            const auto find = [&] {
                return call.caller().opener()->find_weights(url_in(known, path), known.ignore, own, run);
            };
            report = manifests::check(known, options, find, run);
        } else {
            report = manifests::check(known, path, options, run);
        }
    }
    const Differences& differences = report.differences;
    warn_of_missing(call, report.missing);
    if (arguments.has("json")) {
        json::Object fields;
        fields.number("ok", differences.empty()).number("checked", report.checked).number("bytes", report.bytes);
        fields.text("root", known.root.hex());
        write_json(call, fields, differences);
    } else {
        write_lines(call, differences);
    }
    if (!differences.empty()) {
        call.complain("WARNING: " + std::to_string(differences.size()) + " difference" +
                      (differences.size() > 1 ? "s" : "") + " from " + sentence(shown_name(call, file)));
        return 1;
    }
    if (!arguments.has("json")) {
        call.line("OK: " + std::to_string(report.checked) + (options.only.empty() ? "" : " of its") +
                  " tensors and files, " + human_bytes(static_cast<double>(report.bytes)) + ", root " +
                  known.root.hex());
    }
    return 0;
}

int run_manifest_diff(Call& call, const Arguments& arguments) {
    const Manifest first = load(call, arguments.words()[0]), second = load(call, arguments.words()[1]);
    const Differences differences = diff(first, second);
    if (arguments.has("json")) {
        json::Object fields;
        fields.text("old", first.root.hex()).text("new", second.root.hex());
        write_json(call, fields, differences);
    } else {
        write_lines(call, differences);
    }
    return differences.empty() ? 0 : 1;
}

int run_manifest_show(Call& call, const Arguments& arguments) {
    const Manifest known = load(call, arguments.words()[0]);
    if (arguments.has("json")) {
        show_json(call, known);
        return 0;
    }
    call.line("root  " + known.root.hex());
    if (known.digest == manifests::DigestKind::tiles) call.line("by    " + std::string(manifests::tiles_name));
    call.line("of    " + std::string(manifests::name_of(known.kind)) + (known.name ? " " + sentence(*known.name) : ""));
    call.line("has   " + std::to_string(known.tensors.size()) + " tensors in " + std::to_string(known.shards.size()) +
              " shards, " + std::to_string(known.files.size()) + " other files, " +
              human_bytes(static_cast<double>(known.bytes())));
    for (const std::vector<std::string>& group : known.aliases) {
        std::string names;
        for (const std::string& name : group) names += (names.empty() ? "" : ", ") + sentence(name);
        call.line("share memory: " + names);
    }
    std::vector<std::vector<std::string>> rows = {{"digest", "dtype", "shape", "bytes", "name"}};
    for (const Tensor& tensor : known.tensors) {
        rows.push_back({shown(tensor.digest), tensor.dtype, cut(shape_of(tensor)), std::to_string(tensor.size),
                        sentence(tensor.name)});
    }
    for (const File& file : known.files)
        rows.push_back({shown(file.digest), "", "", std::to_string(file.size), sentence(file.path)});
    call.line(table_text(rows, "   r"));
    return 0;
}

constexpr Option follow_links = {
    "follow-links", 0, {}, "In folders, hash the files to which links point, as in the hub's cache."};
constexpr Option manifest_create_options[] = {
    {"output", 'o', "FILE", "Write the manifest here, not to standard output."},
    {"ignore", 0, "PATTERN", "Leave out files and folders whose names match PATTERN, as in a shell."},
    follow_links,
    {"piece-size", 0, "SIZE",
     "Digest long tensors in pieces of SIZE, such as 1M, so that check can say which part changed; 0: in one piece."},
    {"tiles", 0, {}, "Digest tensors by tiles of 32 x 32: one root, however the model is sharded."},
    {"portable", 0, {}, "Leave out times and inodes of files; refresh then hashes all files."},
    options::device,
    options::threads,
    options::threads_too,
    options::help,
};
constexpr Option manifest_refresh_options[] = {
    {"all", 0, {}, "Hash all files, not only those that changed."},
    follow_links,
    options::device,
    options::threads,
    options::threads_too,
    options::help,
};
constexpr Option manifest_check_options[] = {
    {"only", 0, "PATTERN", "Check only tensors, files and shards whose names match PATTERN, as in a shell."},
    follow_links,
    options::json,
    options::device,
    options::threads,
    options::threads_too,
    options::help,
};

}  // namespace

extern constinit const Command manifest_create_command{
    .name = "create",
    .arguments = "PATH",
    .summary = "Hash a safetensors file, an index of shards, or a folder.",
    .help = "Hash PATH: a safetensors file, an index of shards (*.index.json), or a folder.",
    .options = manifest_create_options,
    .run = run_manifest_create,
    .takes_urls = true,
};

extern constinit const Command manifest_refresh_command{
    .name = "refresh",
    .arguments = "MANIFEST [PATH]",
    .summary = "Write a manifest again, hashing only files that changed.",
    .help =
        "Write MANIFEST again from PATH, hashing only files whose size, time of the last write or inode changed. "
        "Without PATH, it is made of what lies beside MANIFEST.",
    .options = manifest_refresh_options,
    .run = run_manifest_refresh,
    .takes_urls = true,
};

extern constinit const Command manifest_check_command{
    .name = "check",
    .arguments = "MANIFEST [PATH]",
    .summary = "Hash again and name what differs from a manifest.",
    .help = "Hash PATH again and name what differs from MANIFEST. Without PATH, what lies beside MANIFEST is hashed.",
    .options = manifest_check_options,
    .run = run_manifest_check,
    .takes_urls = true,
};

extern constinit const Command manifest_diff_command{
    .name = "diff",
    .arguments = "OLD NEW",
    .summary = "Name the tensors and files in which two manifests differ.",
    .help = "Name the tensors and files in which two manifests differ. Exit code 0: there are none; 1: some.",
    .options = options::json_and_help,
    .run = run_manifest_diff,
    .takes_urls = true,
};

extern constinit const Command manifest_show_command{
    .name = "show",
    .arguments = "MANIFEST",
    .summary = "Show what a manifest holds.",
    .help = "Show what MANIFEST holds. Each digest is shown by its first digits; --json prints them in full.",
    .options = options::json_and_help,
    .run = run_manifest_show,
    .takes_urls = true,
};

}  // namespace merklize::command
