#!/usr/bin/env bash
# Checks openapi.yaml with two linters, against the contract of the last release, and against a running service, to which Schemathesis
# sends generated requests. Needs Go and Python; installs the tools, at these versions, below node_modules/.cache.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$PWD/node_modules/.cache/document
mkdir -p "$tools"
cmp -s test/document/package-lock.json "$tools/package-lock.json" || {
  cp test/document/package*.json "$tools"
  npm ci --prefix "$tools" --ignore-scripts --silent
}
[ -x "$tools/oasdiff" ] || GOBIN=$tools go install github.com/oasdiff/oasdiff@v1.35.0
[ -x "$tools/python/bin/schemathesis" ] || {
  python3 -m venv "$tools/python"
  "$tools/python/bin/pip" install --quiet schemathesis==4.32.5
}

export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
"$tools/node_modules/.bin/redocly" lint openapi.yaml --config test/document/redocly.yaml >"$tools/output" 2>&1 || {
  cat "$tools/output"
  exit 1
}
echo 'openapi.yaml: redocly finds nothing'
"$tools/node_modules/.bin/spectral" lint openapi.yaml --ruleset test/document/spectral.yaml --fail-severity hint --quiet
echo 'openapi.yaml: spectral finds nothing'

# A copy with a renamed field, to prove that the checks below detect a broken contract.
broken=$tools/broken.yaml
sed 's/iterations_remaining/iterations_left/' openapi.yaml >"$broken"

released=$(ls test/document/released/*.yaml | sort -V | tail -1)
"$tools/oasdiff" breaking "$released" openapi.yaml --fail-on WARN
! "$tools/oasdiff" breaking "$released" "$broken" --fail-on WARN >/dev/null || { echo 'oasdiff did not detect a removed field'; exit 1; }
echo "openapi.yaml: compatible with $released"

PORT=0 LOG_LEVEL=silent node .build/src/service/main.js >"$tools/service.log" 2>&1 &
service=$!
trap 'kill $service' EXIT
url=
for _ in $(seq 100); do
  url=$(sed -n 's/^Stepwise listens on \(http:[^ ]*\) .*/\1/p' "$tools/service.log")
  [ -n "$url" ] && break
  sleep 0.1
done

# Runs in its own folder, where it stores failed requests.
cp test/document/{hooks.py,schemathesis.toml} "$tools"
fuzz() (
  cd "$tools"
  timeout 300 python/bin/schemathesis run "$@" --url "$url" --checks all --request-timeout 20
)
fuzz "$PWD/openapi.yaml" --max-examples 25
for operation in createReactStep streamReactStep; do
  fuzz "$broken" --phases examples --include-operation-id "$operation" >"$tools/output" || true
  grep -q iterations_left "$tools/output" || { echo "Schemathesis did not check the responses of $operation"; exit 1; }
done
echo 'openapi.yaml: the service follows it'
