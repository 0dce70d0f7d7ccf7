#!/bin/sh
# Compiles the Java of this project. Its class files stand beside the sources, since building `qp` needs no
# Java compiler; a test compares them with what this makes of the sources.
#
# ./build.sh          writes the generated source, and compiles in place
# ./build.sh FOLDER   the same into FOLDER/recorder, FOLDER/reference and FOLDER/runner
set -eu
cd -- "$(dirname -- "$0")"
to=${1:-.}
calls=$(awk -f trace_calls.awk)
mkdir -p -- "$to/recorder/java/lang"
printf '%s\n' "$calls" >"$to/recorder/java/lang/QuerypointTraceCalls.java"
layouts=$(awk -f layouts.awk ../crates/jdk/src/layouts.rs)
printf '%s\n' "$layouts" >"$to/recorder/java/lang/QuerypointLayouts.java"
options="-g -nowarn -XDstringConcat=inline -source 11 -target 11"
internal="--add-exports java.base/jdk.internal.misc=ALL-UNNAMED
    --add-exports java.base/jdk.internal.vm.annotation=ALL-UNNAMED"
# shellcheck disable=SC2086 # options are words
javac $options --patch-module java.base=recorder $internal -d "$to/recorder" recorder/java/lang/*.java
# shellcheck disable=SC2086 # options are words
javac $options -XDignore.symbol.file $internal -d "$to/reference" reference/*.java
# shellcheck disable=SC2086 # options are words
javac $options -d "$to/runner" runner/querypoint/runner/*.java
