#!/bin/sh
# Starts the service, or with the argument `demo` the demo. Node keeps compiled code in NODE_COMPILE_CACHE, which halves the start time
# and saves 30 MB of an idle process. If the folder is not writable, the code is compiled at every start.
here=$(dirname "$0")
NODE_COMPILE_CACHE=${NODE_COMPILE_CACHE:-"$here/../../node_modules/.cache/gatehouse"}
export NODE_COMPILE_CACHE
# Limits the memory arenas of glibc. With one arena per thread, the memory of buffers that move between threads is not released.
MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-2}
export MALLOC_ARENA_MAX
# The bundle in dist starts in half of the time and uses 50 MB less than the source files. After a change of a source file, the service
# starts from the source files until `npm run build`.
program=$here/dist/main.mjs
source=$here/src/main.ts
if [ "${1-}" = demo ]; then
  shift
  program=$here/dist/demo.mjs
  source=$here/demo/demo.ts
fi
if [ -d "$here/dist" ] && [ ! -x "$here/dist" ]; then
  echo "gatehouse: this user may not read $here/dist, so the service starts slowly, from the source files" >&2
fi
if [ ! -r "$program" ] ||
  [ -n "$(find "$here/src" "${source%/*}" "$here/../contract/src" "$here/../filter/src" -type f -newer "$program" -print -quit)" ]; then
  program=$source
fi
exec node "$program" "$@"
