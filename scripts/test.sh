#!/usr/bin/env bash
# All tests; node's own summary closes the output. Arguments go to node: npm test -- --test-name-pattern=links
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PWD/node_modules/.bin:$PATH"

bash scripts/prepare-tests.sh

# Settings of the developer's own service must not reach the services that the tests start.
for name in $(compgen -e GATEHOUSE_ || true); do
  [[ $name == GATEHOUSE_TEST_* ]] || unset "$name"
done

# One test file a core, each a process of its own; two at least, because journeys mostly wait.
cores=$(getconf _NPROCESSORS_ONLN)
run() {
  node scripts/with-postgres.ts node --test \
    --test-reporter=spec \
    --test-concurrency="$((cores > 2 ? cores : 2))" \
    --test-timeout=600000 \
    "$@" </dev/null
}

run "$@" 'packages/*/src/**/*.test.ts' 'packages/*/tests/**/*.test.ts' \
  'packages/widget/{build,protocol,loader,frame}/**/*.test.ts' 'bench/**/*.test.ts' 'scripts/**/*.test.ts'

# Rooms and journeys open what they keep in the backend of the run; what is about the engines themselves stays in the first run.
rooms=$(grep -rl "\.suite\.ts'" packages/server/src --include='*.test.ts' --exclude-dir=adapters --exclude-dir=copy)
mapfile -t rooms <<<"$rooms"

echo
echo 'The same rooms and journeys, with everything kept in PostgreSQL:'
GATEHOUSE_TEST_BACKEND=postgres run "$@" "${rooms[@]}" 'packages/server/tests/**/*.test.ts'
