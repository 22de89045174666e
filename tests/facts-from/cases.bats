#!/usr/bin/env bats
# winord facts --from: each saved output gives the answer in expected.jsonl, in every form in which people paste it;
# what is damaged is not believed.

load ../helpers

# judged CASE: the answers about one file and its copies.
judged() {
  run python3 "$BATS_TEST_DIRNAME/judge.py" "$WINORD_BUILD/winord" "$BATS_TEST_DIRNAME/expected.jsonl" \
    "$BATS_TEST_DIRNAME/cases/$1.txt"
  equals 0 "$status"
  equals "" "$output"
}

@test "01-q-cx5-na-header-plus-mst" { judged 01-q-cx5-na-header-plus-mst; }
@test "02-q-cx4lx-padded-annotated-truncated" { judged 02-q-cx4lx-padded-annotated-truncated; }
@test "04-q-cx5-mail-wrapped" { judged 04-q-cx5-mail-wrapped; }
@test "05-q-windows-cx4lx-no-space-after-colon" { judged 05-q-windows-cx4lx-no-space-after-colon; }
@test "06-q-bf3-domain-0002" { judged 06-q-bf3-domain-0002; }
@test "07-q-cx4-rows-in-other-order" { judged 07-q-cx4-rows-in-other-order; }
@test "08-q-cx4lx-indented-block" { judged 08-q-cx4lx-indented-block; }
@test "09-transcript-set-then-grep-then-q" { judged 09-transcript-set-then-grep-then-q; }
@test "10-e-cx4lx-three-columns" { judged 10-e-cx4lx-three-columns; }
@test "11-e-cx6lx-json-escaped-log-line" { judged 11-e-cx6lx-json-escaped-log-line; }
@test "12-e-cx5-rows-without-header" { judged 12-e-cx5-rows-without-header; }
@test "13-e-cx6dx-two-params-timed" { judged 13-e-cx6dx-two-params-timed; }
@test "14-e-cx3pro-no-current-column" { judged 14-e-cx3pro-no-current-column; }
@test "15-e-name-and-number-disagree" { judged 15-e-name-and-number-disagree; }
@test "16-q-header-below-row-as-comment" { judged 16-q-header-below-row-as-comment; }
@test "17-e-cx5-elided-with-dots" { judged 17-e-cx5-elided-with-dots; }
@test "18-q-loop-every-block-is-device-1" { judged 18-q-loop-every-block-is-device-1; }
@test "19-q-health-script-no-rows" { judged 19-q-health-script-no-rows; }
@test "20-e-cx4-no-device-line" { judged 20-e-cx4-no-device-line; }
@test "21-e-cx9-wide-columns-raw-numbers" { judged 21-e-cx9-wide-columns-raw-numbers; }
@test "22-e-bf3-23-wide-columns" { judged 22-e-bf3-23-wide-columns; }
@test "23-docs-set-layout-pci-device-label" { judged 23-docs-set-layout-pci-device-label; }
@test "24-q-cx3-pci-device-sysfs" { judged 24-q-cx3-pci-device-sysfs; }
@test "25-q-header-says-current" { judged 25-q-header-says-current; }
@test "27-q-grep-per-nic-headings" { judged 27-q-grep-per-nic-headings; }
@test "28-q-one-row-force-relax" { judged 28-q-one-row-force-relax; }
@test "29-err-semaphore-eperm" { judged 29-err-semaphore-eperm; }
@test "30-err-no-mst-modules-bluefield" { judged 30-err-no-mst-modules-bluefield; }
@test "31-err-in-operator-log" { judged 31-err-in-operator-log; }
@test "32-err-parameter-not-supported" { judged 32-err-parameter-not-supported; }
@test "33-err-parameter-not-supported-after-header" { judged 33-err-parameter-not-supported-after-header; }
@test "34-err-unknown-parameter" { judged 34-err-unknown-parameter; }
@test "35-err-failed-to-query-current" { judged 35-err-failed-to-query-current; }
@test "36-err-unsupported-device-twice" { judged 36-err-unsupported-device-twice; }
@test "37-mst-status-v-cx7" { judged 37-mst-status-v-cx7; }
@test "39-lspci-vvv-cx7-host" { judged 39-lspci-vvv-cx7-host; }
@test "40-lspci-cx6lx-quoted-printable-mail" { judged 40-lspci-cx6lx-quoted-printable-mail; }
@test "42-lspci-access-denied" { judged 42-lspci-access-denied; }
@test "43-lspci-root-port-mail-wrapped" { judged 43-lspci-root-port-mail-wrapped; }
@test "44-ibv-devinfo-v-cx5-ofed" { judged 44-ibv-devinfo-v-cx5-ofed; }
@test "45-ibv-devinfo-v-qedr-glob" { judged 45-ibv-devinfo-v-qedr-glob; }
@test "46-ibv-devinfo-bond-cut" { judged 46-ibv-devinfo-bond-cut; }
@test "47-topo-vm-all-phb-overwritten" { judged 47-topo-vm-all-phb-overwritten; }
@test "48-topo-glued-affinity" { judged 48-topo-glued-affinity; }
@test "49-topo-pix-pxb" { judged 49-topo-pix-pxb; }
@test "50-nccl-sharp-ro" { judged 50-nccl-sharp-ro; }
@test "51-nccl-no-ro-unsorted" { judged 51-nccl-no-ro-unsorted; }
@test "52-nccl-mixed-link-layers" { judged 52-nccl-mixed-link-layers; }
@test "53-nccl-ray-prefix" { judged 53-nccl-ray-prefix; }
@test "54-nccl-bond-flattened" { judged 54-nccl-bond-flattened; }
@test "55-nccl-2.27-per-device" { judged 55-nccl-2.27-per-device; }
@test "56-nccl-gb10-kernel-names" { judged 56-nccl-gb10-kernel-names; }
@test "57-ucx-info-cx6" { judged 57-ucx-info-cx6; }
@test "58-virt-none-but-kvm" { judged 58-virt-none-but-kvm; }
@test "59-virt-microsoft-but-nutanix" { judged 59-virt-microsoft-but-nutanix; }
@test "60-virt-aws-metal" { judged 60-virt-aws-metal; }
@test "62-synthetic-e-current-4-next-0" { judged 62-synthetic-e-current-4-next-0; }
@test "63-synthetic-e-current-0-next-4" { judged 63-synthetic-e-current-0-next-4; }
@test "64-synthetic-q-mode-4" { judged 64-synthetic-q-mode-4; }
@test "65-synthetic-e-four-nics-modes-1-2-3" { judged 65-synthetic-e-four-nics-modes-1-2-3; }
@test "68-synthetic-e-ro-and-star-ro" { judged 68-synthetic-e-ro-and-star-ro; }
@test "70-synthetic-e-neither-default-nor-current" { judged 70-synthetic-e-neither-default-nor-current; }
@test "71-synthetic-e-some-tlvs-failed" { judged 71-synthetic-e-some-tlvs-failed; }
@test "72-synthetic-set-dialog-declined" { judged 72-synthetic-set-dialog-declined; }
@test "73-synthetic-set-with-default-header" { judged 73-synthetic-set-with-default-header; }
@test "75-synthetic-e-name-number-mismatch" { judged 75-synthetic-e-name-number-mismatch; }
@test "76-synthetic-json-e-two-devices" { judged 76-synthetic-json-e-two-devices; }
@test "77-synthetic-json-q" { judged 77-synthetic-json-q; }
@test "78-synthetic-json-empty-after-error" { judged 78-synthetic-json-empty-after-error; }
@test "79-synthetic-ibv-devinfo-mlx5-glob" { judged 79-synthetic-ibv-devinfo-mlx5-glob; }

@test "every case is judged" {
  for case in "$BATS_TEST_DIRNAME"/cases/*.txt; do
    grep -q " judged $(basename "$case" .txt);" "$BATS_TEST_FILENAME"
  done
}
