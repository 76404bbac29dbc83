// `merklize piece`.
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/settings.hpp"
#include "command/urls.hpp"
#include "formats/sources.hpp"
#include "host/invalid.hpp"
#include "texts/json.hpp"

namespace merklize::command {

namespace {

int run_piece(Call& call, const Arguments& arguments) {
    const std::string& file = arguments.words()[0];
    if (arguments.has("json")) refuse_unused(arguments, "--json", {"v1"});
    RunOptions options = run_options(call, arguments);
    const auto input = open_input(call, file);
    PieceCid piece;
    {
        Bar bar(call, "hashing");
        options.progress = bar.part_of(*input);
        const PublicCall entry("piece");
        piece = runtime::piece_cid_of(*input, options);
    }
    if (!arguments.has("json")) {
        call.line(arguments.has("v1") ? piece.v1() : piece.v2());
        return 0;
    }
    json::Object fields;
    fields.name("name", shown_name(call, file)).text("v2", piece.v2()).text("v1", piece.v1());
    fields.text("root", piece.root.hex());
    call.line(fields.number("bytes", piece.bytes).number("padded_bytes", piece.padded_bytes()).done());
    return 0;
}

constexpr Option piece_options[] = {{"v1", 0, {}, "Print version 1, the root alone."},
                                    options::threads,
                                    options::threads_too,
                                    options::json,
                                    options::help};

}  // namespace

extern constinit const Command piece_command{
    .name = "piece",
    .arguments = "FILE",
    .summary = "Filecoin's PieceCID of a file (CommP).",
    .help = "Print the PieceCID of FILE, version 2: root, height and padding of the piece that storage providers know.",
    .options = piece_options,
    .run = run_piece,
    .takes_urls = true,
};

}  // namespace merklize::command
