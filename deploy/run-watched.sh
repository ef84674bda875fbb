#!/bin/sh
# Runs the program of an image and writes its process id to a file: the health check ends that process when it hangs.
echo $$ > "${TMPDIR:-/tmp}/program.pid"
exec node --enable-source-maps "$1"
