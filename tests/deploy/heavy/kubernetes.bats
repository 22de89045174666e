#!/usr/bin/env bats
# The manifests against Kubernetes' own schemas, by kubernetes-validate from PyPI.
load ../../helpers

setup_file() {
  export VALIDATE=$WINORD_BUILD/kubernetes-validate/bin/kubernetes-validate
  [[ -x $VALIDATE ]] && return
  python3 -m venv "$WINORD_BUILD/kubernetes-validate"
  timeout -s KILL 250 "$WINORD_BUILD/kubernetes-validate/bin/pip" install -q kubernetes-validate==1.37.0 ||
    lacking "kubernetes-validate from PyPI"
}

setup() {
  cd "$BATS_TEST_DIRNAME/../../../deploy/kubernetes" || return
}

@test "every manifest is right for Kubernetes 1.27 to 1.37, strictly" {
  for version in 1.27 1.30 1.33 1.35 1.37; do
    run "$VALIDATE" --strict -k "$version" ./*.yaml
    show
    equals 0 "$status"
  done
}

@test "a wrong manifest is found" {
  sed 's/subPath/subpath/' job.yaml >"$BATS_TEST_TMPDIR/wrong.yaml"
  run "$VALIDATE" --strict "$BATS_TEST_TMPDIR/wrong.yaml"
  equals 1 "$status"
}
