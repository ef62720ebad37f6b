#!/usr/bin/env bash
# Generates clients from openapi.yaml, compiles them and holds one conversation through each with a running service (docs/clients.md).
# Needs Java with Maven, Python and Go; generators and clients are put below node_modules/.cache, at these versions. Languages may be named.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
tools=$PWD/node_modules/.cache/clients
OPENAPI_GENERATOR=7.23.0
OAPI_CODEGEN=v2.8.2
[ $# -gt 0 ] || set -- typescript python go
mkdir -p "$tools"
jar=$tools/openapi-generator-cli-$OPENAPI_GENERATOR.jar
[ -f "$jar" ] || mvn -q dependency:copy -Dartifact="org.openapitools:openapi-generator-cli:$OPENAPI_GENERATOR" -DoutputDirectory="$tools"
[ -x "$tools/oapi-codegen" ] || GOBIN=$tools go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@$OAPI_CODEGEN

npm run -s build:test
mkfifo "$tools/input.$$"
node .build/test/clients/service.js <"$tools/input.$$" >"$tools/url" &
exec 9>"$tools/input.$$"
rm "$tools/input.$$"
for _ in $(seq 100); do [ -s "$tools/url" ] && break || sleep 0.1; done
url=$(cat "$tools/url")

generate() {
  java -XX:TieredStopAtLevel=1 -jar "$jar" generate -i "$root/openapi.yaml" "$@" >generated.log 2>&1 || { grep -v '^\sat ' generated.log; exit 1; }
}

typescript() {
  npm install --ignore-scripts --silent
  npx openapi-typescript "$root/openapi.yaml" --output stepwise.d.ts >generated.log 2>&1
  npx tsc --strict --exactOptionalPropertyTypes --target es2023 --module nodenext --types node --skipLibCheck converse.ts
  node converse.js "$url"
}

python() {
  generate -g python -o client
  [ -d environment ] || python3 -m venv environment
  environment/bin/pip install --quiet -r client/requirements.txt
  PYTHONPATH=client environment/bin/python converse.py "$url"
}

go() {
  mkdir -p stepwise
  "$tools/oapi-codegen" -config oapi-codegen.yaml "$root/openapi.yaml"
  [ -f go.mod ] || command go mod init conversation 2>/dev/null
  command go mod tidy 2>/dev/null
  command go run . "$url"
}

for language; do
  mkdir -p "$tools/$language"
  cp -r "test/clients/$language/." "$tools/$language"
  (cd "$tools/$language" && "$language")
done
