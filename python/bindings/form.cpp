#include "form.hpp"

#include <string_view>
#include <vector>

#include <merklize/formats.hpp>

#include "arguments.hpp"
#include "host/names.hpp"
#include "module.hpp"

namespace merklize::binding {

namespace {

TreeForm make_form(nb::handle hash, nb::handle rule, nb::handle key, nb::handle context, nb::handle padding,
                   bool unambiguous) {
    TreeForm form(hash_from_name(to_text(hash, "hash")));
    form.unambiguous = unambiguous;
    if (!rule.is_none()) form.rule = rule_from_name(to_text(rule, "rule"));
    form.mode = to_mode(key, context, form.hash);
    if (padding.is_none()) return form;
    if (form.rule != TreeRule::pad) {
        throw Error(ErrorCode::invalid_argument,
                    "padding is for the rule \"pad\" alone, not for \"" + std::string(rule_name(form.rule)) + '"');
    }
    form.padding = to_digest(padding, "padding");
    return form;
}

}  // namespace

nb::str name_of(Hash hash) { return to_str(traits(hash).name); }
nb::str name_of(TreeRule rule) { return to_str(rule_name(rule)); }

void bind_form(nb::module_& m) {
    nb::class_<HashTraits>(m, "HashInfo", "What a hash of trees is.")
        .def_prop_ro("id", [](const HashTraits& self) { return static_cast<unsigned>(self.hash); })
        .def_prop_ro(
            "name", [](const HashTraits& self) { return to_str(self.name); }, nb::sig("def name(self) -> str"))
        .def_prop_ro(
            "is_field", [](const HashTraits& self) { return self.is_field; },
            "Whether digests are field elements, uint64[4] or uint32[8]; else they are bytes, uint8[32].")
        .def_prop_ro(
            "element_bits", [](const HashTraits& self) { return self.element_bits; },
            "Of field hashes: 64, or 32; 0 for hashes of bytes.")
        .def_prop_ro(
            "modulus", [](const HashTraits& self) { return self.modulus; },
            "Of field hashes: elements are below it; 0 for hashes of bytes.");
    define(
        m, "def hashes() -> list[HashInfo]", +[] {
            nb::list result;
            for (const HashTraits& traits : merklize::hashes()) result.append(nb::cast(traits));
            return result;
        });
    define(
        m, "def hash_by_name(name: str, /) -> HashInfo",
        +[](nb::handle name) { return traits(hash_from_name(to_text(name, "hash"))); });

    nb::class_<FormatTraits>(m, "FormatInfo", "What a format of trees fixes.")
        .def_prop_ro(
            "name", [](const FormatTraits& self) { return to_str(self.name); }, nb::sig("def name(self) -> str"))
        .def_prop_ro(
            "hash", [](const FormatTraits& self) { return name_of(self.hash); }, nb::sig("def hash(self) -> str"))
        .def_prop_ro(
            "rule", [](const FormatTraits& self) { return name_of(self.rule); }, nb::sig("def rule(self) -> str"))
        .def_ro("hashes_messages", &FormatTraits::hashes_messages, "Whether a leaf is the digest of a message.")
        .def_ro("piece_size", &FormatTraits::piece_size, "Bytes of a file that are one leaf, or 0.")
        .def_ro("is_ambiguous", &FormatTraits::is_ambiguous, "Whether two lists of leaves can have one root.");
    define(
        m, "def formats() -> list[FormatInfo]", +[] {
            nb::list result;
            for (const FormatTraits& traits : merklize::formats()) result.append(nb::cast(traits));
            return result;
        });

    define(
        m, "def unknown_name(what: str, typed: str, known: list[str], /) -> str",
        +[](nb::handle what, nb::handle typed, nb::handle known) {
            std::vector<std::string_view> names;
            for (nb::handle name : nb::cast<nb::list>(known)) names.push_back(to_text(name, "known"));
            return to_str(runtime::unknown_name(to_text(what, "what"), to_text(typed, "typed"), names));
        });

    nb::class_<TreeForm>(m, "TreeForm", "What a tree is, apart from its leaves.")
        .def(
            "__init__",
            [](TreeForm* self, nb::handle hash, nb::handle rule, nb::handle key, nb::handle context, nb::handle padding,
               bool unambiguous) { new (self) TreeForm(make_form(hash, rule, key, context, padding, unambiguous)); },
            nb::arg("hash").none(), nb::arg("rule").none() = nb::none(), nb::arg("key").none() = nb::none(),
            nb::arg("context").none() = nb::none(), nb::arg("padding").none() = nb::none(),
            nb::arg("unambiguous") = false,
            nb::sig("def __init__(self, hash: str, rule: str | None = None, key: typing_extensions.Buffer | None = "
                    "None, context: str | None = None, padding: typing_extensions.Buffer | None = None, "
                    "unambiguous: bool = False) -> None"),
            "unambiguous: refuses leaves whose root another list has; key: 32 bytes; padding: 32 bytes, of the rule "
            "\"pad\" alone; rule: None is the hash's usual one.")
        .def_prop_ro(
            "hash", [](const TreeForm& self) { return name_of(self.hash); }, nb::sig("def hash(self) -> str"))
        .def_prop_ro(
            "rule", [](const TreeForm& self) { return name_of(self.rule); }, nb::sig("def rule(self) -> str"))
        .def_prop_ro(
            "is_keyed", [](const TreeForm& self) { return self.mode.flags() != 0; },
            "Whether merges are keyed or derive-key ones.")
        .def_prop_ro(
            "padding", [](const TreeForm& self) { return to_bytes(self.padding.bytes); },
            nb::sig("def padding(self) -> bytes"), "32 bytes; looked at under the rule \"pad\" alone.");
    define(
        m, "def default_rule(hash: str, /) -> str",
        +[](nb::handle hash) { return name_of(default_rule(hash_from_name(to_text(hash, "hash")))); });
    define(
        m, "def rule_by_name(name: str, /) -> str",
        +[](nb::handle name) { return name_of(rule_from_name(to_text(name, "rule"))); });
}

}  // namespace merklize::binding
