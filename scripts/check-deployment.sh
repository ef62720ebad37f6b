#!/usr/bin/env bash
# Holds compose.yaml and deploy/kubernetes to what they are written for: Compose's own loader, kustomize, and the schemas of
# Kubernetes. Needs Go and Python; the tools are installed below node_modules/.cache, at these versions.
set -euo pipefail
cd "$(dirname "$0")/.."
KUBERNETES=1.34
tools=$PWD/node_modules/.cache/deployment
mkdir -p "$tools"
[ -x "$tools/kustomize" ] || GOBIN=$tools go install sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
[ -x "$tools/cmd" ] || GOBIN=$tools go install github.com/compose-spec/compose-go/v2/cmd@v2.9.0
[ -x "$tools/python/bin/kubernetes-validate" ] || {
  python3 -m venv "$tools/python"
  "$tools/python/bin/pip" install --quiet kubernetes-validate==1.37.0
}

"$tools/cmd" compose.yaml >/dev/null
echo "compose.yaml: follows the Compose specification"

for overlay in deploy/kubernetes/base deploy/kubernetes/overlays/*; do
  built=$tools/$(basename "$overlay").yaml
  "$tools/kustomize" build "$overlay" >"$built"
  "$tools/python/bin/kubernetes-validate" --strict --kubernetes-version "$KUBERNETES" "$built" >"$tools/said" || {
    grep ERROR "$tools/said"
    exit 1
  }
  echo "$overlay: $(grep -c passed "$tools/said") resources follow the schemas of Kubernetes $KUBERNETES"
done
