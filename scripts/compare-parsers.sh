#!/usr/bin/env bash
# compare-parsers.sh [FOLDER]: downloads the newest wheels of vLLM, SGLang and LangChain (about 500 MB) and runs their parsers on
# the conformance cases of native formats. FOLDER (default ~/.cache/stepwise-parsers) keeps their parsers; nothing is installed elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-$HOME/.cache/stepwise-parsers}
mkdir -p "$folder"
fetch() { # PACKAGE PATTERN…: unzips the parsers of a wheel.
  local package=$1 && shift
  [ -d "$folder/$package" ] && return
  python3 -m pip download -q --no-deps --only-binary :all: --no-cache-dir -d "$folder" "$package"
  unzip -qo "$folder/$package"-*.whl "$@" -d "$folder/$package"
  (cd "$folder" && ls "$package"-*.whl | cut -d- -f1,2) >> "$folder/versions"
  rm "$folder/$package"-*.whl
}
fetch vllm 'vllm/tool_parsers/*' 'vllm/parser/*' 'vllm/reasoning/*' 'vllm/utils/collection_utils.py'
fetch sglang 'sglang/srt/function_call/*' 'sglang/srt/parser/*'
if [ ! -d "$folder/modules" ]; then
  python3 -m pip install -q --no-cache-dir --target "$folder/modules" langchain-classic regex partial-json-parser orjson openai numpy msgspec \
    prometheus_client ijson
  (cd "$folder/modules" && ls -d langchain_classic-*.dist-info | sed 's/.dist-info//') >> "$folder/versions"
fi
cat "$folder/versions"
python3 scripts/compare-parsers.py "$folder" test/conformance node .build/test/conformance/stepwise.js
