#!/bin/sh
# Compiles what calls the right version of a program. Its class files stand beside the source, since who builds qp need not have a Java
# compiler; a test compares them with what this makes of the source.
set -eu
cd -- "$(dirname -- "$0")"
javac -g -nowarn -XDignore.symbol.file -XDstringConcat=inline -source 11 -target 11 -d "${1:-.}" QuerypointReference*.java
