#pragma once

namespace merklize::command {

class Arguments;
class Call;

/// One function a command: runs it and returns its exit code.
int run_hash(Call& call, const Arguments& arguments);
int run_tree_build(Call& call, const Arguments& arguments);
int run_tree_root(Call& call, const Arguments& arguments);
int run_tree_info(Call& call, const Arguments& arguments);
int run_tree_check(Call& call, const Arguments& arguments);
int run_tree_prove(Call& call, const Arguments& arguments);
int run_tree_verify(Call& call, const Arguments& arguments);
int run_tree_update(Call& call, const Arguments& arguments);
int run_tree_append(Call& call, const Arguments& arguments);
int run_tree_export(Call& call, const Arguments& arguments);
int run_tree_show(Call& call, const Arguments& arguments);
int run_bao_outboard(Call& call, const Arguments& arguments);
int run_bao_encode(Call& call, const Arguments& arguments);
int run_bao_decode(Call& call, const Arguments& arguments);
int run_bao_slice(Call& call, const Arguments& arguments);
int run_bao_verify(Call& call, const Arguments& arguments);
int run_manifest_create(Call& call, const Arguments& arguments);
int run_manifest_refresh(Call& call, const Arguments& arguments);
int run_manifest_check(Call& call, const Arguments& arguments);
int run_manifest_diff(Call& call, const Arguments& arguments);
int run_manifest_show(Call& call, const Arguments& arguments);
int run_verity_format(Call& call, const Arguments& arguments);
int run_verity_verify(Call& call, const Arguments& arguments);
int run_verity_dump(Call& call, const Arguments& arguments);
int run_piece(Call& call, const Arguments& arguments);
int run_devices(Call& call, const Arguments& arguments);
int run_demo(Call& call, const Arguments& arguments);
int run_completions(Call& call, const Arguments& arguments);

}  // namespace merklize::command
