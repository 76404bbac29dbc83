#!/usr/bin/env bash
# The rows behind every figure of README.md and docs/performance.md, of one day and one build, on this machine.
#
#     bench/headline.sh BUILD PEERS B3SUM FOLDER [SECTION...]
#
# BUILD   made with -DMERKLIZE_BUILD_BENCH=ON
# PEERS   the program of bench/peers, built for this machine with the feature formats
# B3SUM   BLAKE3's command
# FOLDER  gets one file for each kind of rows and machine, and is made if it is not there
#
# Sections: cpu calls command formats device opencl hashes tensors proofs several. Without one: all that this machine
# can run. PROOFS names the program of rust/bench, OPENCL the device of the section opencl. Needs the installed merklize
# package and PyPI blake3, and for tensors PyTorch. Move the files to bench/results, then run bench/tables.py.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 peers=$2 b3sum=$3 folder=$4
shift 4
mkdir -p "$folder"
export MERKLIZE_TUNED=0
cores=$(nproc) day=$(date +%F) device=${DEVICE:-cuda:0} commit=${COMMIT:-$(git -C "$here" describe --always)}
export COMMIT=$commit
if [ $# -eq 0 ]; then
    set -- cpu calls command formats
    ! command -v nvidia-smi >/dev/null || set -- "$@" device hashes tensors
    [ -z "${OPENCL:-}" ] || set -- "$@" opencl
    [ -z "${PROOFS:-}" ] || set -- "$@" proofs
fi

name() { tr 'A-Z' 'a-z' <<<"$1" | tr -cs 'a-z0-9\n' - | sed 's/-*$//'; }
host=cpu-$(name "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)")
gpu=cuda-$(name "$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)")

run_device() { # run_device NAME PROGRAM DEVICE FLAGS...
    local name=$1 program=$2 where=$3
    shift 3
    python3 "$here/run_device.py" --bench "$build/bench/$program" --device "$where" --commit "$commit" \
        --out "$folder/$day-$name.json" -- "$@"
}
sizes=(--tuned --bytes 26,30,33 --leaves 20,25 --field-leaves 20,24 --repeats 9
    --only digest, --only "blake3, leaves" --only "rp64_256_v3, leaves")
levels=()
for hash in sha256 poseidon2_koalabear_16 keccak256 poseidon2_babybear_16 poseidon2_goldilocks_8 rpo256; do
    levels+=(--only "level, resident, $hash, ")
done
failed=()
for section in "$@"; do
    echo "== $section, at $SECONDS s"
    case $section in
    cpu) python3 "$here/run.py" --bench "$build/bench/merklize-bench" --peers "$peers" --b3sum "$b3sum" \
        --threads "1,$cores" --rounds 3 --out "$folder/$day-$host.json" ;;
    calls) python3 "$here/calls.py" --threads "1,$cores" --rounds 9 --out "$folder/$day-calls-$host.json" ;;
    command) python3 "$here/command.py" --b3sum "$b3sum" --command "$build/src/command/merklize" --rounds 9 \
        --out "$folder/$day-command-$host.json" ;;
    formats) python3 "$here/formats.py" --peers "$peers" --rounds 25 --only poseidon2 --out "$folder/$day-formats-$host.json" &&
        python3 "$here/formats.py" --peers "$peers" --rounds 25 --only keccakf64 --out "$folder/$day-keccak-$host.json" ;;
    device) run_device device-$gpu merklize-device-bench "$device" "${sizes[@]}" ;;
    opencl) run_device "device-opencl-${gpu#cuda-}" merklize-device-bench "$OPENCL" "${sizes[@]}" ;;
    hashes) run_device hashes-$gpu merklize-device-bench "$device" --tuned "${levels[@]}" ;;
    tensors) python3 "$here/tensors.py" --device "$device" --out "$folder/$day-tensors-$gpu.json" ;;
    proofs) "$PROOFS" --device "$device" --only plonky3 --repeat 5 --json "$folder/$day-proofs-$gpu.json" ;;
    several) run_device several-$gpu merklize-several-bench "${device%%:*}" --counts 1,2,4 ;;
    *) echo "no section $section" >&2; false ;;
    esac || failed+=("$section")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}" >&2; exit 1; }
