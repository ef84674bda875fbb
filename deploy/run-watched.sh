#!/bin/sh
# Runs a program of an image: the health check ends the process whose id is in this file when it hangs.
echo $$ > "${TMPDIR:-/tmp}/program.pid"
exec node --enable-source-maps "$1"
