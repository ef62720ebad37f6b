#!/usr/bin/env bash
# Checks compose.yaml and deploy/kubernetes with Compose's own loader, kustomize, the schemas of Kubernetes, and the critical checks of
# kube-score. Needs Go and Python; installs the tools, at these versions, below node_modules/.cache.
set -euo pipefail
cd "$(dirname "$0")/.."
KUBERNETES=1.34
tools=$PWD/node_modules/.cache/deployment
mkdir -p "$tools"
[ -x "$tools/kustomize" ] || GOBIN=$tools go install sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
[ -x "$tools/kube-score" ] || GOBIN=$tools go install github.com/zegl/kube-score/cmd/kube-score@v1.20.0
[ -x "$tools/cmd" ] || GOBIN=$tools go install github.com/compose-spec/compose-go/v2/cmd@v2.9.0
[ -x "$tools/python/bin/kubernetes-validate" ] || {
  python3 -m venv "$tools/python"
  "$tools/python/bin/pip" install --quiet kubernetes-validate==1.37.0
}

"$tools/cmd" compose.yaml >/dev/null
echo "compose.yaml: follows the Compose specification"

for overlay in deploy/kubernetes/overlays/*; do
  built=$tools/$(basename "$overlay").yaml
  "$tools/kustomize" build "$overlay" >"$built"
  "$tools/python/bin/kubernetes-validate" --strict --kubernetes-version "$KUBERNETES" "$built" >"$tools/output" || {
    grep ERROR "$tools/output"
    exit 1
  }
  # Ignored: a CPU limit (base/deployment.yaml says why), `imagePullPolicy: Always` for a tag that never changes, a user id above
  # 10000, which the image does not have, and network policies, which are a component.
  "$tools/kube-score" score "$built" --output-format ci --ignore-container-cpu-limit \
    --ignore-test container-image-pull-policy,container-security-context-user-group-id,pod-networkpolicy >"$tools/output.score" || {
    grep CRITICAL "$tools/output.score"
    exit 1
  }
  echo "$overlay: $(grep -c passed "$tools/output") resources follow the schemas of Kubernetes $KUBERNETES"
done

# Only checks that each component can be added: PodMonitor belongs to the Prometheus operator, and its schema is not available here.
mkdir -p "$tools/all"
for component in deploy/kubernetes/components/*; do
  printf 'resources: [../../../../deploy/kubernetes/base]\ncomponents: [../../../../%s]\n' "$component" >"$tools/all/kustomization.yaml"
  "$tools/kustomize" build --load-restrictor LoadRestrictionsNone "$tools/all" >/dev/null
done
echo "deploy/kubernetes/components: each can be added to the base"
