#!/usr/bin/env bash
# Generates clients from openapi.yaml, compiles them, and runs one conversation through each with a real service (docs/clients.md).
# Needs Java with Maven for openapi-generator, and the tools of each language. Installs the generators, at these versions, and the clients
# below node_modules/.cache. Arguments name clients, such as `go rust`; `all` adds those that take too long for CI.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
tools=$PWD/node_modules/.cache/clients
OPENAPI_GENERATOR=7.23.0
OAPI_CODEGEN=v2.8.2
OPENAPI_PYTHON_CLIENT=0.29.1
MYPY=2.4.1
default_clients=(typescript python go java rust)
[ $# -gt 0 ] || set -- "${default_clients[@]}"
[ "$*" != all ] || set -- "${default_clients[@]}" hey-api openapi-python-client kotlin progenitor compiled csharp
mkdir -p "$tools"
jar=$tools/openapi-generator-cli-$OPENAPI_GENERATOR.jar

mkfifo "$tools/input.$$"
node .build/test/clients/service.js <"$tools/input.$$" >"$tools/url" &
exec 9>"$tools/input.$$"
rm "$tools/input.$$"
for _ in $(seq 100); do [ -s "$tools/url" ] && break || sleep 0.1; done
url=$(cat "$tools/url")

generate() {
  [ -f "$jar" ] || mvn -q dependency:copy -Dartifact="org.openapitools:openapi-generator-cli:$OPENAPI_GENERATOR" -DoutputDirectory="$tools"
  command java -XX:TieredStopAtLevel=1 -jar "$jar" generate -i "$root/openapi.yaml" "$@" >generated.log 2>&1 ||
    { grep -v '^\sat ' generated.log; exit 1; }
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
  [ -x "$tools/oapi-codegen" ] || GOBIN=$tools command go install "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@$OAPI_CODEGEN"
  mkdir -p stepwise
  "$tools/oapi-codegen" -config oapi-codegen.yaml "$root/openapi.yaml"
  [ -f go.mod ] || command go mod init conversation 2>/dev/null
  command go mod tidy 2>/dev/null
  command go run . "$url"
}

java() {
  maven
}

rust() {
  generate -g rust -o client --additional-properties=reqwestDefaultFeatures=,avoidBoxedModels=true
  cargo run --quiet -- "$url"
}

hey-api() {
  npm install --ignore-scripts --silent
  npx openapi-ts --input "$root/openapi.yaml" --output stepwise --silent
  npx tsc --strict --target es2023 --module commonjs --types node --skipLibCheck converse.ts stepwise/*.ts stepwise/*/*.ts
  node converse.js "$url"
}

openapi-python-client() {
  [ -d environment ] || python3 -m venv environment
  environment/bin/pip install --quiet openapi-python-client==$OPENAPI_PYTHON_CLIENT mypy==$MYPY
  environment/bin/openapi-python-client generate --path "$root/openapi.yaml" --meta none --output-path stepwise --overwrite \
    >generated.log 2>&1 || { cat generated.log; exit 1; }
  environment/bin/mypy --strict converse.py
  environment/bin/python converse.py "$url"
}

kotlin() {
  maven
}

progenitor() {
  cp "$root/openapi.yaml" .
  cargo run --quiet -- "$url"
}

# Generates the client, compiles it and runs the conversation, as pom.xml configures.
maven() {
  mvn -q compile -Ddocument="$root/openapi.yaml" >generated.log 2>&1 || { cat generated.log; exit 1; }
  mvn -q exec:java -Dexec.args="$url"
}

# Only compiles: TypeScript clients of three generators, and the Go client of openapi-generator.
compiled() {
  npm install --ignore-scripts --silent
  generate -g typescript-fetch -o typescript-fetch --additional-properties=modelPropertyNaming=original
  generate -g typescript-axios -o typescript-axios
  npx orval --input "$root/openapi.yaml" --output orval/stepwise.ts --client fetch >generated.log 2>&1 || { cat generated.log; exit 1; }
  for client in typescript-fetch typescript-axios orval; do
    npx tsc --strict --target es2023 --module esnext --moduleResolution bundler --noEmit --skipLibCheck "$client"/*.ts
    echo "$client: compiles"
  done
  generate -g go -o go --additional-properties=disallowAdditionalPropertiesIfNotPresent=false,enumClassPrefix=true
  (cd go && command go mod tidy 2>/dev/null && command go build ./...)
  echo 'openapi-generator go: compiles'
}

csharp() {
  generate -g csharp -o client
  command -v dotnet >/dev/null || { echo 'csharp: generates; not compiled, because there is no .NET SDK' && return; }
  dotnet build --nologo -v quiet client/src/Org.OpenAPITools
  echo 'csharp: compiles'
}

for client; do
  mkdir -p "$tools/$client"
  [ ! -d "test/clients/$client" ] || cp -r "test/clients/$client/." "$tools/$client"
  (cd "$tools/$client" && "$client")
done
