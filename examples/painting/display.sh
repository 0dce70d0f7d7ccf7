#!/bin/sh
# display.sh COMMAND [ARGUMENT...]: runs a command on a display of its own that nobody sees, and ends the display with it.
#
# The command replaces this script, so its process id, exit status and signals are the caller's. The display is kept by a
# process in another session, which waits for the end of a pipe that the command holds open without knowing: however the
# command ends, the server gets its SIGTERM and removes its lock and socket.
#
# The display's name is in $DISPLAY, and for others that the same caller starts (drive.sh) in classes/display.CALLER, where
# CALLER is the process id of the caller. Exit status 4: no display to be had.
set -eu

if [ $# -eq 0 ]; then
    echo "usage: display.sh COMMAND [ARGUMENT...]" >&2
    exit 2
fi
if ! command -v Xvfb >/dev/null 2>&1; then
    echo "no display: install xvfb (apt-get install xvfb)" >&2
    exit 4
fi

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
note=$here/classes/display.$PPID
pipes=$(mktemp -d "${TMPDIR:-/tmp}/display.XXXXXX")
mkdir -p "$here/classes"
rm -f "$note"
mkfifo "$pipes/number" "$pipes/alive"

# shellcheck disable=SC2016 # expanded by the keeper, not here
setsid sh -c '
    exec 3<"$1/alive"
    Xvfb -displayfd 4 -screen 0 800x600x24 -nolisten tcp 4>"$1/number" 3<&- &
    server=$!
    read -r end <&3
    kill "$server" 2>/dev/null
    wait "$server"
    rm -f "$2"
' keeper "$pipes" "$note" </dev/null >/dev/null 2>&1 &

exec 9>"$pipes/alive"
number=
read -r number <"$pipes/number" || true
rm -rf "$pipes"
if [ -z "$number" ]; then
    echo "no display: Xvfb did not start; try: Xvfb -displayfd 1" >&2
    exit 4
fi

DISPLAY=:$number
export DISPLAY
echo "$DISPLAY" >"$note.new"
mv "$note.new" "$note"
exec "$@"
