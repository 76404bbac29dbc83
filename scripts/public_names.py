"""The public functions, classes and names of every language, read from the sources."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
Signatures = dict[str, list[list[str]]]  # a function's or class's name -> the arguments of each overload
FILES = {
    "Python": "python/merklize/**/*.py",
    "C++": "include/merklize/*.hpp",
    "C": "include/merklize/c/*.h",
    "Rust": "rust/merklize/src/**/*.rs",
    "JavaScript": "web/index.d.ts",
    "command": "src/command/**/*.[ch]pp",
}
# Modules that are not for users: programs, and functions that the workers of a cluster run.
PRIVATE = ("cli", "bench")


def sources(language: str) -> list[Path]:
    paths = sorted(ROOT.glob(FILES[language]))
    if language != "Python":
        return paths
    public = []
    for path in paths:
        below = path.relative_to(ROOT / "python/merklize").with_suffix("").parts
        if below[0] not in PRIVATE and "__main__" not in below:
            public.append(path)
    return public


def stripped(text: str) -> str:
    """Source without comments, preprocessor lines and the contents of strings."""
    text = re.sub(r"'\\?\"'", "' '", text)
    # Strings come first, because a comment's mark inside a string is no comment.
    text = re.sub(
        r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', lambda m: '""' if m[0][0] == '"' else " ", text, flags=re.DOTALL
    )
    return re.sub(r"^\s*#[^\n]*(?:\\\n[^\n]*)*", "", text, flags=re.MULTILINE)


def matching(text: str, opening: int) -> int:
    """Index of the bracket that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at
    raise ValueError(f"a bracket is not closed: {text[opening : opening + 60]!r}")


def split_arguments(text: str) -> list[str]:
    found, depth = [""], 0
    for at, char in enumerate(text):
        arrow = char == ">" and text[at - 1] in "-="
        depth += (char in "([{<") - (char in ")]}>" and not arrow)
        if char == "," and depth == 0:
            found.append("")
        else:
            found[-1] += char
    return [one.strip() for one in found if one.strip()]


def argument_name(text: str, language: str) -> str:
    if language in ("Rust", "JavaScript"):
        return re.sub(r"[^\w]", "", re.sub(r"\bmut\b", "", text.partition(":")[0]))
    names = re.findall(r"\w+", re.sub(r"\s=.*|\[.*", "", text, flags=re.DOTALL))
    return names[-1] if names else ""


def scope(head: str) -> str | None:
    """The scope that a brace opens: a class or inner namespace by name, "" for the library's own, None for a body."""
    if re.search(r"\bextern\b", head):
        return ""
    if found := re.search(r"\bnamespace\s+([\w:\s]+)$", head):
        name = re.findall(r"\w+", found[1])[-1]
        return "" if name in ("merklize", "v0") else name
    if found := re.search(r"\bimpl\b(?:<[^{]*?>)?\s+(?:[^{]*\bfor\s+)?(\w+)", head):
        return found[1]
    if "(" not in head and (
        found := re.search(r"\b(?:class|struct|interface|trait)\s+(?:MERKLIZE_API\s+)?(\w+)", head)
    ):
        return found[1]
    return None


def rust_module(path: Path) -> str:
    """The public module that a file of the crate belongs to; "" for the top of the crate."""
    source = ROOT / "rust/merklize/src"
    module = path.relative_to(source).with_suffix("").parts[0]
    return module if f"pub mod {module};" in (source / "lib.rs").read_text() else ""


def read_braces(path: Path, language: str) -> Signatures:
    """Functions of C, C++, Rust and TypeScript, at the top level and in classes."""
    text, found = stripped(path.read_text()), {}
    scopes = [module] if language == "Rust" and (module := rust_module(path)) else []
    at = start = 0
    while at < len(text):
        if text[at] == "(":
            end = matching(text, at)
            head = text[start:at]
            name = re.search(r"(\w+)\s*(?:<[^()]*>)?\s*$", head)
            public = language != "Rust" or re.search(r"\bpub\s+(?:const\s+|unsafe\s+)*fn\b", head)
            if name and public and "#[" not in head.rpartition("\n")[2]:
                arguments = [argument_name(one, language) for one in split_arguments(text[at + 1 : end])]
                inside = [one for one in scopes if one]
                named = (
                    inside[-1] if inside and name[1] in (inside[-1], "constructor") else ".".join([*inside, name[1]])
                )
                found.setdefault(named, []).append([one for one in arguments if one not in ("self", "void")])
            at = end
        elif text[at] == "{":
            opened = scope(text[start:at])
            if opened is None:
                at = matching(text, at)
            else:
                scopes.append(opened)
            start = at + 1
        elif text[at] in ";}":
            if text[at] == "}" and scopes:
                scopes.pop()
            start = at + 1
        at += 1
    return found


def python_arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    args = function.args
    return [one.arg for one in (*args.posonlyargs, *args.args, *args.kwonlyargs) if one.arg not in ("self", "cls")]


def python_module(path: Path) -> str:
    """The public module of a file. A file with an underscore is a part of the module above."""
    below = path.relative_to(ROOT / "python/merklize").with_suffix("").parts
    return ".".join(part for part in below if not part.startswith("_"))


def names_of_other_files() -> dict[tuple[Path, str], str]:
    """The public module of each name that one takes from a file beside it and has in its __all__."""
    given = {}
    for path in sources("Python"):
        if path.stem.startswith("_") and path.stem != "__init__":
            continue
        body = ast.parse(path.read_text()).body
        lists = [
            node.value for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        ]
        public = {name for one in lists for name in ast.literal_eval(one)}
        for node in body:
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
                file = path.parent / f"{node.module}.py"
                given.update({(file, one.name): python_module(path) for one in node.names if one.name in public})
    return given


def read_python() -> Signatures:
    package = ROOT / "python/merklize"
    top: dict[str, str] = {}  # names at the top of the package -> the module that has them
    for node in ast.walk(ast.parse((package / "__init__.py").read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            top.update({alias.name: node.module for alias in node.names})
    given = names_of_other_files()
    found: Signatures = {}
    for path in sources("Python"):
        module = python_module(path)
        init = ast.parse((path.parent / "__init__.py").read_text())
        taken = {alias.name for node in ast.walk(init) if isinstance(node, ast.ImportFrom) for alias in node.names}
        for node in ast.parse(path.read_text()).body:
            name = getattr(node, "name", "_")
            if name.startswith("_"):
                continue
            at_top = top.get(name) == module
            public = given.get((path, name), module)
            if not at_top and public == module and path.stem.startswith("_") and (module == "" or name not in taken):
                continue
            full = name if at_top else f"{public}.{name}"
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(full, []).append(python_arguments(node))
            elif isinstance(node, ast.ClassDef):
                found.setdefault(full, [])
                for method in node.body:
                    if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        if method.name == "__init__":
                            found[full].append(python_arguments(method))
                        elif not method.name.startswith("_"):
                            found.setdefault(f"{full}.{method.name}", []).append(python_arguments(method))
    return found


Initializer = list[Any]  # between braces: texts as "text, names as they stand, initializers


def initializer(text: str, at: int) -> tuple[Initializer, int]:
    """The text between the brace at `at` and its partner, and the index of its end. Adjacent strings are joined."""
    found: Initializer = []
    for token in re.finditer(r'"(?:\\.|[^"\\])*"|[{},]|[^\s{},"]+', text[at + 1 :]):
        if token[0] == "}":
            return found, at + 1 + token.end()
        if token[0] == "{":
            inner, end = initializer(text, at + 1 + token.start())
            rest, after = initializer(text, end - 1)
            return [*found, inner, *rest], after
        if token[0].startswith('"') and found and str(found[-1]).startswith('"'):
            found[-1] += token[0][1:-1]
        elif token[0] == ",":
            found.append(",")
        else:
            found.append(token[0].rstrip('"'))
    raise ValueError("a brace is not closed")


def read_command() -> Signatures:
    """Commands of the program: the arguments of the usage line, then the options of --help."""
    tables: dict[str, list[Any]] = {}  # of options and of commands, by name
    commands: dict[str, dict[str, Any]] = {}  # the fields of each command
    for path in sources("command"):
        text = re.sub(r"^\s*//[^\n]*|\s//[^\n\"]*$", "", path.read_text(), flags=re.MULTILINE)
        rows = r"constexpr (?:Option|const Command\*) (\w+)(?:\[\])?(?: = )?\{"
        for found in re.finditer(rows, text):
            tables[found[1]] = [one for one in initializer(text, found.end() - 1)[0] if one != ","]
        for found in re.finditer(r"(?:constexpr|constinit const) Command (\w+)\{", text):
            fields = [one for one in initializer(text, found.end() - 1)[0] if one not in (",", "=")]
            commands[found[1]] = dict(zip(fields[::2], fields[1::2], strict=True))

    def option(given: str | Initializer) -> list[str]:
        fields = tables[given.split("::")[-1]] if isinstance(given, str) else [one for one in given if one != ","]
        name = fields[0].strip('"')
        is_shown = len(fields) > 3 and isinstance(fields[3], str)
        return [f"--{name}"] if is_shown and name not in ("help", "version") else []

    made: Signatures = {}

    def add(names: list[str], group: str) -> None:
        for one in names:
            command = commands[one.lstrip("&")]
            full = group + command[".name"].strip('"')
            shown = [flag for given in tables[command[".options"].split("::")[-1]] for flag in option(given)]
            made[full] = [[*re.findall(r"[A-Z]+", command.get(".arguments", "")), *shown]]
            if ".commands" in command:
                add(tables[command[".commands"]], full + " ")

    add(tables["commands"], "")
    return made


@cache
def signatures(language: str) -> Signatures:
    if language == "Python":
        return read_python()
    if language == "command":
        return read_command()
    found: Signatures = {}
    for path in sources(language):
        for name, overloads in read_braces(path, language).items():
            found.setdefault(name, []).extend(overloads)
    return found


def names(language: str) -> set[str]:
    """Every public name, arguments included, that a user reads or types."""
    if language == "Python":
        found = read_python()
        arguments = {one for overloads in found.values() for overload in overloads for one in overload}
        return {part for name in found for part in name.split(".")} | arguments
    if language == "command":
        found = read_command()
        return {part for name in found for part in (*name.split(), *found[name][0])}
    if language == "Rust":
        text = "\n".join(stripped(path.read_text()) for path in sources(language))
        declared = re.findall(r"\bpub\s+(?:(?:struct|enum|fn|const|type|trait|mod)\s+)?(\w+)", text)
        arguments = {one for overloads in signatures(language).values() for overload in overloads for one in overload}
        return set(declared) | arguments
    text = "\n".join(stripped(path.read_text()) for path in sources(language))
    return {name for name in re.findall(r"[A-Za-z_]\w*", text) if not name.endswith("_")}
