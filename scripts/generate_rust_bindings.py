#!/usr/bin/env python3
"""Writes rust/merklize-sys/src/bindings.rs from merklize/merklize.h and what it includes; --check compares them.

Reads only the forms of declarations that these headers have; anything else stops the script with its text.
Comments stay in the headers, which the crate carries.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include" / "merklize"
OUTPUT = ROOT / "rust" / "merklize-sys" / "src" / "bindings.rs"

TYPES = {
    "void": "c_void",
    "char": "c_char",
    "int": "c_int",
    "double": "f64",
    "float": "f32",
    "size_t": "usize",
    "int32_t": "i32",
    "int64_t": "i64",
    "uint8_t": "u8",
    "uint16_t": "u16",
    "uint32_t": "u32",
    "uint64_t": "u64",
}
KEYWORDS = {"type", "box", "ref", "move", "in", "as", "use", "where", "loop", "match", "mod", "impl", "self"}


def rust_name(name):
    return f"r#{name}" if name in KEYWORDS else name


def rust_type(text):
    """ "const merklize_proof *const *" -> "*const *const merklize_proof"."""
    tokens = re.findall(r"\w+|\*", text)
    const = tokens[0] == "const"
    base = tokens[1] if const else tokens[0]
    if base not in TYPES and not base.startswith("merklize_"):
        raise SystemExit(f"generate_rust_bindings.py: unknown type: {text}")
    result = TYPES.get(base, base)
    for token in tokens[2 if const else 1 :]:
        if token == "*":
            result = f"*{'const' if const else 'mut'} {result}"
            const = False
        elif token == "const":
            const = True
        else:
            raise SystemExit(f"generate_rust_bindings.py: unknown type: {text}")
    return result


def variable(text):
    """ "const uint8_t *key" -> ("key", "*const u8"); arrays of structs, "char id[128]", too."""
    text = " ".join(text.split())
    match = re.fullmatch(r"(.*?)(\w+)((?:\[\w+\])?)", text)
    kind = rust_type(match[1])
    return rust_name(match[2]), f"[{kind}; {match[3][1:-1]}]" if match[3] else kind


def hashes():
    """(name, id) of each unit in the list of hashes."""
    for unit in re.findall(r'#include "(hashes/\w+\.h)"', (INCLUDE / "core" / "hashes.h").read_text()):
        text = (INCLUDE / "core" / unit).read_text()
        yield (
            re.search(r"#define MKZ_UNIT_NAME (\w+)", text)[1],
            int(re.search(r"#define MKZ_UNIT_ID (\d+)", text)[1]),
        )


def enum_lines(body, kind):
    known, value = list(hashes()), -1
    if "#define MKZ_HASH" in body:  # the list of hashes, expanded
        for name, number in known:
            yield f"pub const MERKLIZE_HASH_{name}: {kind} = {number};"
        body = re.sub(r"^#.*$", "", body, flags=re.M)
    for item in filter(str.strip, body.split(",")):
        name, _, given = (part.strip() for part in item.partition("="))
        value = given if given else value + 1
        yield f"pub const {name}: {kind} = {value};"
        value = int(value) if str(value).isdigit() else value


def struct_lines(name, body):
    yield "#[repr(C)]"
    yield "#[derive(Debug, Clone, Copy)]"
    yield f"pub struct {name} {{"
    for field in filter(str.strip, re.sub(r"/\*.*?\*/", "", body, flags=re.S).split(";")):
        first, *others = field.split(",")
        field_name, kind = variable(first)
        for each in [field_name, *(rust_name(other.strip()) for other in others)]:
            yield f"    pub {each}: {kind},"
    yield "}"


def function_line(returned, name, arguments):
    given = [] if arguments.strip() == "void" else [variable(a) for a in arguments.split(",")]
    listed = ", ".join(f"{n}: {t}" for n, t in given)
    returned = " ".join(returned.split())
    arrow = "" if returned == "void" else f" -> {rust_type(returned)}"
    return f"    pub fn {name}({listed}){arrow};"


DECLARATION = re.compile(
    r"""\s*(?:/\*.*?\*/\s*)?(?:
      typedef\ struct\ (?P<opaque>\w+)\ \w+;
    | typedef\ struct\ (?P<struct>\w+)\ \{(?P<fields>.*?)\}\ \w+;
    | typedef\ (?P<alias_of>\w+)\ (?P<alias>\w+);
    | typedef\ int\ \(\*(?P<callback>\w+)\)\((?P<callback_arguments>[^)]*)\);
    | enum\ \{(?P<enum>.*?)\};
    | MERKLIZE_C_API\ (?P<returned>[^;(]*?)(?P<function>merklize_\w+)\((?P<arguments>[^)]*)\);
    | (?P<other>\#ifdef\ __cplusplus.*?\#endif|static\ inline\ .*?\n\}|\#(?:include|ifndef|define|endif)\b[^\n]*)
    | (?=/\*|\Z))""",
    re.X | re.S,
)


def generate():
    names = re.findall(r"#include <merklize/(c/\w+\.h)>", (INCLUDE / "merklize.h").read_text())
    header = "\n".join((INCLUDE / name).read_text() for name in names)
    version = re.search(r"#define MERKLIZE_ABI_VERSION (\d+)", (INCLUDE / "version.h").read_text())[1]
    lines = [
        "// Written by scripts/generate_rust_bindings.py from the headers of merklize/merklize.h. Do not edit.",
        "",
        "use core::ffi::{c_char, c_int, c_void};",
        "",
        "/// Of the header; [`merklize_check_abi`] compares it with the library's.",
        f"pub const MERKLIZE_ABI_VERSION: u32 = {version};",
    ]
    functions, structs, opaque, alias, at = {}, [], [], None, 0
    while at < len(header) and header[at:].strip():
        match = DECLARATION.match(header, at)
        if not match or match.end() == at:
            raise SystemExit(f"generate_rust_bindings.py: cannot read: {header[at : at + 200].strip()}")
        at, lone, alias = match.end(), alias, match["alias"]
        if match["opaque"]:
            opaque.append(match["opaque"])
        elif match["struct"]:
            structs.append(match["struct"])
            lines += ["", *struct_lines(match["struct"], match["fields"])]
        elif alias:
            lines += ["", f"pub type {alias} = {TYPES[match['alias_of']]};"]
        elif match["callback"]:
            given = ", ".join(f"{n}: {t}" for n, t in map(variable, match["callback_arguments"].split(",")))
            lines += ["", f'pub type {match["callback"]} = Option<unsafe extern "C" fn({given}) -> c_int>;']
        elif match["enum"]:
            body = re.sub(r"/\*.*?\*/", "", match["enum"], flags=re.S)
            lines += enum_lines(body, lone or "u32")
        elif match["function"]:
            functions[match["function"]] = function_line(match["returned"], match["function"], match["arguments"])
    lines += ["", "opaque! {", *(f"    {name}" for name in opaque), "}"]
    lines += ["zeroed! {", *(f"    {name}" for name in structs), "}"]
    lines += ["", "functions! {", *functions.values(), "}"]
    lines += [
        "",
        "/// The hashes by id, for a macro that makes something of each: `each! { (BLAKE3, blake3, 0) ... }`.",
        "#[macro_export]",
        "macro_rules! for_each_hash {",
        "    ($each:ident) => {",
        "        $each! {",
        *(f"            ({name.upper()}, {name}, {number})" for name, number in hashes()),
        "        }",
        "    };",
        "}",
        "",
        "/// The functions by name: all of them are linked, and none is called.",
        "#[doc(hidden)]",
        f"pub const FUNCTIONS: [(&str, *const ()); {len(functions)}] = [",
        *(f'    ("{name}", {name} as *const ()),' for name in sorted(functions)),
        "];",
        "",
        "/// The structs by name, with their sizes and alignments.",
        "#[doc(hidden)]",
        "pub const STRUCTS: &[(&str, usize, usize)] = &[",
    ]
    lines += [f'    ("{name}", core::mem::size_of::<{name}>(), core::mem::align_of::<{name}>()),' for name in structs]
    return "\n".join([*lines, "];", ""])


if __name__ == "__main__":
    text = generate()
    if "--check" not in sys.argv[1:]:
        OUTPUT.write_text(text)
    elif not OUTPUT.exists() or OUTPUT.read_text() != text:
        sys.exit("rust/merklize-sys/src/bindings.rs is not what scripts/generate_rust_bindings.py writes: run it")
