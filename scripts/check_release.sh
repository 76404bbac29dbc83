#!/usr/bin/env bash
# Installs the files of a release in bare Debian 12 and 13 and uses them there.
#
#     check_release.sh FOLDER    FOLDER: build/artefacts, as `make release` writes it
#
# Each wheel for this machine runs where its Python is: that of Debian 12 is 3.11, of Debian 13 is 3.13. Debian's
# packages, which are built for the system that builds them or a newer one, are installed in the newest. Needs root,
# mmdebstrap, lintian and pip.
set -euo pipefail
files=$(realpath "$1")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== lists"
(cd "$files" && sha256sum --quiet -c SHA256SUMS)
echo "== pages of the packages for Python"
python3 -m venv "$work/tools"
"$work/tools/bin/python" -m pip install -q twine
"$work/tools/bin/twine" check --strict "$files"/*.whl "$files"/merklize-[0-9].[0-9].[0-9].tar.gz
for wheel in "$files"/*.whl; do python3 -m zipfile -e "$wheel" "$work/pages/$(basename "$wheel")"; done
if grep -nP '\]\((?!https?:|mailto:|#)' "$work"/pages/*/*.dist-info/METADATA; then
    echo "on an index a relative link leads nowhere" >&2
    exit 1
fi

ran=0
for suite in bookworm trixie; do
    echo "== $suite"
    mmdebstrap -q --variant=minbase --include=python3,python3-venv "$suite" "$work/$suite"
    mkdir "$work/$suite/release"
    cp "$files"/*"$(uname -m)".whl "$work/$suite/release"
    version=$(chroot "$work/$suite" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    # NumPy comes from here, so that the bare system needs no network.
    python3 -m pip download -q -d "$work/$suite/release" --only-binary :all: --python-version "$version" 'numpy>=1.24'
    chroot "$work/$suite" python3 -m venv /env
    if chroot "$work/$suite" /env/bin/pip install -q --no-index --find-links /release merklize; then
        chroot "$work/$suite" /env/bin/merklize demo
        ran=1
    else
        echo "no wheel for Python $version"
    fi
done
[ $ran = 1 ] || { echo "no wheel was installed" >&2; exit 1; }
[ -z "$(ls "$files"/*.deb 2>/dev/null)" ] && exit
echo "== packages of Debian"
lintian --fail-on error "$files"/*.deb "$files"/*.dsc
cp "$files"/*.deb "$work/trixie/release"
cp -r README.md examples packaging/debian "$work/trixie/release"
cp /etc/resolv.conf "$work/trixie/etc"
chroot "$work/trixie" sh -euc '
    cd /release
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends ./*.deb gcc libc6-dev pkgconf >/dev/null
    debian/tests/digests
    debian/tests/consumer
    [ ! -e python3-merklize_*.deb ] || debian/tests/python'
