#pragma once

namespace merklize::command {

class Arguments;

/// One function a command: runs it and returns its exit code.
int run_hash(const Arguments& arguments);
int run_tree_build(const Arguments& arguments);
int run_tree_root(const Arguments& arguments);
int run_tree_info(const Arguments& arguments);
int run_tree_check(const Arguments& arguments);
int run_tree_prove(const Arguments& arguments);
int run_tree_verify(const Arguments& arguments);
int run_tree_update(const Arguments& arguments);
int run_tree_append(const Arguments& arguments);
int run_tree_export(const Arguments& arguments);
int run_tree_show(const Arguments& arguments);
int run_bao_outboard(const Arguments& arguments);
int run_bao_encode(const Arguments& arguments);
int run_bao_decode(const Arguments& arguments);
int run_bao_slice(const Arguments& arguments);
int run_bao_verify(const Arguments& arguments);
int run_manifest_create(const Arguments& arguments);
int run_manifest_refresh(const Arguments& arguments);
int run_manifest_check(const Arguments& arguments);
int run_manifest_diff(const Arguments& arguments);
int run_manifest_show(const Arguments& arguments);
int run_devices(const Arguments& arguments);
int run_demo(const Arguments& arguments);
int run_completions(const Arguments& arguments);

}  // namespace merklize::command
