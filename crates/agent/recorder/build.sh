#!/bin/sh
# Compiles the recorder. Its class files stand beside the source, since who builds qp need not have a Java compiler;
# a test compares them with what this makes of the source.
set -eu
cd -- "$(dirname -- "$0")"
internal="--add-exports java.base/jdk.internal.misc=ALL-UNNAMED --add-exports java.base/jdk.internal.vm.annotation=ALL-UNNAMED"
# shellcheck disable=SC2086 # options are words
javac -g -nowarn -XDstringConcat=inline -source 11 -target 11 --patch-module java.base=. $internal -d "${1:-.}" java/lang/*.java
