#!/usr/bin/env bash
# Holds compose.yaml and deploy/kubernetes to what they are written for: Compose's own loader, kustomize, the schemas of
# Kubernetes, and what kube-score thinks is critical. Needs Go and Python; the tools are installed below node_modules/.cache, at these versions.
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
  "$tools/python/bin/kubernetes-validate" --strict --kubernetes-version "$KUBERNETES" "$built" >"$tools/said" || {
    grep ERROR "$tools/said"
    exit 1
  }
  # Left out: a limit of CPU (base/deployment.yaml says why), `Always` pulling a tag that is meant to stay, a user above 10000,
  # which is not the image's, and network policies, which are a component.
  "$tools/kube-score" score "$built" --output-format ci --ignore-container-cpu-limit \
    --ignore-test container-image-pull-policy,container-security-context-user-group-id,pod-networkpolicy >"$tools/said.score" || {
    grep CRITICAL "$tools/said.score"
    exit 1
  }
  echo "$overlay: $(grep -c passed "$tools/said") resources follow the schemas of Kubernetes $KUBERNETES"
done

# PodMonitor is the Prometheus operator's and has no schema here: that each component can be added is all that is looked at.
mkdir -p "$tools/all"
for component in deploy/kubernetes/components/*; do
  printf 'resources: [../../../../deploy/kubernetes/base]\ncomponents: [../../../../%s]\n' "$component" >"$tools/all/kustomization.yaml"
  "$tools/kustomize" build --load-restrictor LoadRestrictionsNone "$tools/all" >/dev/null
done
echo "deploy/kubernetes/components: each can be added to the base"
