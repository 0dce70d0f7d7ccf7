#!/bin/sh
# drive.sh [DISPLAY]: operates the window as someone would who wants a red line and then a blue one.
#
# Only the mouse is used: without a window manager nothing gets the keyboard's focus. The thumbs are dragged past the ends of their
# tracks, so that the values are 0 and 255 however slow the program is; a click into a track repeats while it lasts.
#
# Without an argument the display is the one that display.sh, started by the same caller, has noted. Never $DISPLAY: on a
# desktop that is the user's own.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
note=$here/classes/display.$PPID
patience=60 # seconds, for the display and again for the window

if ! command -v xdotool >/dev/null 2>&1; then
    echo "drive.sh: install xdotool (apt-get install xdotool)" >&2
    exit 4
fi

if [ $# -gt 0 ]; then
    DISPLAY=$1
else
    tenths=0
    until [ -s "$note" ]; do
        if [ "$tenths" -ge $((patience * 10)) ]; then
            echo "drive.sh: no display after $patience s; is the program started by display.sh?" >&2
            exit 4
        fi
        tenths=$((tenths + 1))
        sleep 0.1
    done
    DISPLAY=$(cat "$note")
fi
export DISPLAY

window=$(timeout "$patience" xdotool search --sync --onlyvisible --name '^Paint$' | head -n 1)
if [ -z "$window" ]; then
    echo "drive.sh: no window named Paint on $DISPLAY after $patience s" >&2
    exit 4
fi

# settle: waits until the program has taken in what it was told, as a user would who looks at the window. A program
# under watch can be a hundred times slower than by itself. It has settled when it uses no processor for 0.3 s.
pid=$(xdotool getwindowpid "$window" 2>/dev/null || echo "${QUERYPOINT_PID:-}")
settle() {
    quiet=0 before='' tenths=0
    while [ "$quiet" -lt 3 ] && [ "$tenths" -lt $((patience * 10)) ]; do
        sleep 0.1
        tenths=$((tenths + 1))
        now=$(cut -d ' ' -f 14,15 "/proc/$pid/stat" 2>/dev/null || true)
        if [ "$now" = "$before" ]; then quiet=$((quiet + 1)); else quiet=0; fi
        before=$now
    done
}

# drag X1 Y1 X2 Y2: in the window's coordinates, in four steps
drag() {
    xdotool mousemove --sync --window "$window" "$1" "$2" mousedown 1
    settle
    for step in 1 2 3 4; do
        xdotool mousemove --window "$window" \
            $(($1 + ($3 - $1) * step / 4)) $(($2 + ($4 - $2) * step / 4))
        settle
    done
    xdotool mouseup 1
    settle
}

settle

left=18 right=182 red=135 blue=255

drag $left $red 199 $red     # red to its right end
drag 250 60 550 120          # a red line
drag $right $red 1 $red      # red back to the left
drag $left $blue 199 $blue   # blue to its right end
drag 250 200 550 260         # a blue line

if [ -n "${PAINT_SHOT:-}" ]; then # a picture for who wants to see it; needs ImageMagick
    sleep 1
    import -window "$window" "$PAINT_SHOT"
fi

# Quit; the display may be gone before the click is acknowledged
xdotool mousemove --window "$window" 100 370 click 1 2>/dev/null || true
