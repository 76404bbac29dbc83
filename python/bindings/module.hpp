#pragma once

#include <nanobind/nanobind.h>

namespace merklize::binding {

void bind_bao(nanobind::module_& m);
void bind_command(nanobind::module_& m);
void bind_settings(nanobind::module_& m);
void bind_form(nanobind::module_& m);
void bind_formats(nanobind::module_& m);
void bind_device(nanobind::module_& m);
void bind_device_array(nanobind::module_& m);
void bind_digest_array(nanobind::module_& m);
void bind_dm_verity(nanobind::module_& m);
void bind_piece_cid(nanobind::module_& m);
void bind_pieces(nanobind::module_& m);
void bind_policy(nanobind::module_& m);
void bind_poseidon2(nanobind::module_& m);
void bind_enqueue(nanobind::module_& m);
void bind_hash(nanobind::module_& m);
void bind_hash_each(nanobind::module_& m);
void bind_hasher(nanobind::module_& m);
void bind_log(nanobind::module_& m);
void bind_manifests(nanobind::module_& m);
void bind_matrices(nanobind::module_& m);
void bind_forest(nanobind::module_& m);
void bind_proof(nanobind::module_& m);
void bind_parts(nanobind::module_& m);
void bind_quick(nanobind::module_& m);
void bind_rows(nanobind::module_& m);
void bind_texts(nanobind::module_& m);
void bind_tiles(nanobind::module_& m);
void bind_tree(nanobind::module_& m);
void bind_tree_file(nanobind::module_& m);
void bind_tree_input(nanobind::module_& m);
void bind_xet(nanobind::module_& m);
void bind_xmss(nanobind::module_& m);

/// Gives a class that only calls make an error that names them.
/// text  of the TypeError; a literal
template <class Class>
void refuse_init(nanobind::class_<Class>& bound, const char* text) {
    bound.def(
        "__init__",
        [text](Class*, const nanobind::args&, const nanobind::kwargs&) { throw nanobind::type_error(text); },
        nanobind::sig("def __init__(self, *args: object, **kwargs: object) -> None"));
}

}  // namespace merklize::binding
