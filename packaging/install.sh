#!/bin/sh
# Installs `qp` for the current user:
#
#   curl -fsSL https://github.com/querypoint/querypoint/releases/latest/download/install.sh | sh
#
# QP_INSTALL_FROM is where the archives are, QP_INSTALL_TO the folder for the programs (~/.local/bin).
set -eu

from=${QP_INSTALL_FROM:-https://github.com/querypoint/querypoint/releases/latest/download}
to=${QP_INSTALL_TO:-$HOME/.local/bin}

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

case $(uname -s)-$(uname -m) in
Linux-x86_64) platform=x86_64-unknown-linux-gnu ;;
Linux-aarch64) platform=aarch64-unknown-linux-gnu ;;
Darwin-x86_64) platform=x86_64-apple-darwin ;;
Darwin-arm64) platform=aarch64-apple-darwin ;;
*) fail "there is no archive for $(uname -s) on $(uname -m); docs/install.md says how to build qp from source" ;;
esac
command -v curl >/dev/null 2>&1 || fail "curl is missing"

archive=querypoint-$platform.tar.gz
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
curl -fsSL -o "$folder/$archive" "$from/$archive" || fail "$from/$archive could not be loaded"
curl -fsSL -o "$folder/$archive.sha256" "$from/$archive.sha256" || fail "$from/$archive.sha256 could not be loaded"

wanted=$(cut -d ' ' -f 1 "$folder/$archive.sha256")
if command -v sha256sum >/dev/null 2>&1; then
    found=$(sha256sum "$folder/$archive" | cut -d ' ' -f 1)
else
    found=$(shasum -a 256 "$folder/$archive" | cut -d ' ' -f 1)
fi
[ "$wanted" = "$found" ] || fail "$archive has another checksum than $archive.sha256 says: nothing was installed"

mkdir -p "$to"
tar -xzf "$folder/$archive" -C "$folder"
for program in qp qp-parquet; do
    if [ -e "$folder/querypoint/$program" ]; then
        # A running program is not overwritten: it keeps its file, and the new one takes the name.
        cp "$folder/querypoint/$program" "$to/.$program.new"
        mv "$to/.$program.new" "$to/$program"
    fi
done
said=$("$to/qp" --version) || fail "$to/qp does not run on this system"
printf 'installed %s in %s\n' "$said" "$to"
case ":$PATH:" in
*":$to:"*) ;;
*) printf 'add %s to the PATH\n' "$to" ;;
esac
