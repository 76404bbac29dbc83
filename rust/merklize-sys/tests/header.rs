//! Compares the declarations with the C compiler's view of the header, and with the functions that the header declares.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a C program, each of whose lines is a name and numbers.
fn run_c(name: &str, body: &str) -> BTreeMap<String, Vec<u64>> {
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (scratch.join(format!("{name}.c")), scratch.join(name));
    let text = format!("#include <merklize/merklize.h>\n#include <stdio.h>\nint main(void) {{\n{body}return 0; }}\n");
    fs::write(&source, text).unwrap();
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let compiled = Command::new(&compiler)
        .args(["-std=c11", "-I"])
        .arg(folder().join("cpp/include"))
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| {
            let mut words = line.split(' ');
            let name = words.next().unwrap().to_string();
            (name, words.map(|word| word.parse().unwrap()).collect())
        })
        .collect()
}

#[test]
fn structs_have_the_sizes_of_c() {
    let body: String = merklize_sys::STRUCTS
        .iter()
        .map(|(name, _, _)| format!("printf(\"{name} %zu %zu\\n\", sizeof({name}), _Alignof({name}));\n"))
        .collect();
    let in_c = run_c("sizes", &body);
    assert!(merklize_sys::STRUCTS.len() >= 12);
    for (name, size, align) in merklize_sys::STRUCTS {
        assert_eq!(in_c[*name], [*size as u64, *align as u64], "{name}");
    }
}

#[test]
fn fields_lie_where_c_has_them() {
    use merklize_sys::*;
    macro_rules! offsets {
        ($($name:ident: $($field:ident),*;)*) => {{
            let body: &[&str] = &[$($(concat!("printf(\"", stringify!($name), ".", stringify!($field),
                " %zu\\n\", offsetof(", stringify!($name), ", ", stringify!($field), "));\n")),*),*];
            let in_c = run_c("offsets", &body.concat());
            $($(assert_eq!(in_c[concat!(stringify!($name), ".", stringify!($field))],
                [std::mem::offset_of!($name, $field) as u64], concat!(stringify!($name), ".", stringify!($field)));)*)*
        }};
    }
    offsets! {
        merklize_mode: key, key_bytes, context, context_bytes;
        merklize_run_options: device, threads, progress, progress_context, stream, policy, timings;
        merklize_form: hash, rule, mode, padding;
        merklize_input: path, leaf_bytes, kind, has_descriptor, descriptor;
        merklize_tree_info: n_leaves, hash, rule, height, drop_levels, on_device, is_keyed, root, leaf_bytes, total_bytes;
        merklize_view: data, bytes, buffer;
        merklize_output: data, bytes, buffer;
        merklize_matrix_dims: rows, columns;
        merklize_poseidon2: field, width, rate, constants, constant_count, diagonal, diagonal_count;
        merklize_matrix: words, buffer, first, rows, columns, row_stride, column_stride, word_bytes;
        merklize_commitment_form: hash, arity, cap_height, montgomery, word_bytes, keep, drop_levels;
        merklize_commitment_info: hash, arity, cap_height, height, n_leaves, cap_size, path_length, row_bytes, on_device;
        merklize_proof_info: kind, hash, rule, n_leaves, old_leaves, leaves, siblings;
        merklize_hash_info: hash, is_field, element_bytes, modulus, name;
        merklize_device_info: memory_bytes, units, id, backend, name, vendor, driver, isa;
    }
}

#[test]
fn hashes_have_the_ids_of_c() {
    let mut names = vec![];
    macro_rules! list {
        ($(($constant:ident, $name:ident, $id:literal))*) => { $(names.push((stringify!($name), $id as u64));)* };
    }
    merklize_sys::for_each_hash!(list);
    let body: String =
        names.iter().map(|(name, _)| format!("printf(\"{name} %u\\n\", (unsigned)MERKLIZE_HASH_{name});\n")).collect();
    let in_c = run_c("hashes", &body);
    for (name, id) in &names {
        assert_eq!(in_c[*name], [*id], "{name}");
    }
    assert_eq!(names.len(), unsafe { merklize_sys::merklize_hash_count() });
}

#[test]
fn every_function_of_the_header_is_declared() {
    let declared: Vec<String> = merklize_sys::FUNCTIONS.iter().map(|(name, _)| name.to_string()).collect();
    assert!(merklize_sys::FUNCTIONS.iter().all(|(_, address)| !address.is_null()));
    let mut in_c = vec![];
    for header in fs::read_dir(folder().join("cpp/include/merklize/c")).unwrap() {
        let text = fs::read_to_string(header.unwrap().path()).unwrap();
        // "MERKLIZE_C_API merklize_status merklize_hash(...": the word in front of the bracket.
        let heads = text.split("MERKLIZE_C_API ").skip(1).filter_map(|declaration| declaration.split_once('('));
        in_c.extend(heads.filter_map(|(head, _)| head.rsplit([' ', '*']).next()).map(str::to_string));
    }
    in_c.retain(|name| name.starts_with("merklize_")); // what stands around the definition of MERKLIZE_C_API has none
    in_c.sort();
    assert_eq!(declared, in_c);
}

#[test]
fn the_library_is_of_this_header() {
    assert_eq!(unsafe { merklize_sys::merklize_abi_version() }, merklize_sys::MERKLIZE_ABI_VERSION);
    assert_eq!(unsafe { merklize_sys::merklize_check_abi(merklize_sys::MERKLIZE_ABI_VERSION) }, 0);
}
