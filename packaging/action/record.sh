#!/bin/sh
# Records a failing program, looks for the faulty call without a person, and packs the recording into one file.
# QP_COMMAND is the command; QP_ASSERTIONS, QP_REFERENCE and QP_FILE are optional, see action.yml. Prints the
# diagnosis, and ends with 0 if there is a file.
set -eu

file=${QP_FILE:-querypoint}.qp
folder=$(mktemp -d)
recording=$folder/querypoint.trace
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

if [ -z "${QP_COMMAND:-}" ]; then
    echo "record.sh: QP_COMMAND is not set: it is the command that fails" >&2
    exit 2
fi
# The program's own status is not of interest: it fails, or there would be nothing to record.
qp trace record --out "$recording" -- sh -c "exec $QP_COMMAND" || true
[ -d "$recording" ] || {
    echo "record.sh: nothing was recorded; the messages above say why" >&2
    exit 4
}

set --
[ -z "${QP_ASSERTIONS:-}" ] || set -- "$@" --assert "$QP_ASSERTIONS"
[ -z "${QP_REFERENCE:-}" ] || set -- "$@" --reference "$QP_REFERENCE"
# Nobody answers questions here: qp ends where neither assertions nor a reference answer, and says how far it came.
qp diagnose "$@" "$recording" </dev/null || true
qp trace pack "$recording" --to "$file"
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    printf 'file=%s\n' "$file" >>"$GITHUB_OUTPUT"
fi
