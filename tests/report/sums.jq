# The sums of `winord report --csv`: how often each distinct decision of a host was made, keyed as the CSV has it.
def text: if . == null then "" else tostring end;
reduce (inputs | select(.event == "register")) as $r ({};
  .[[$r.job, "", $r.host, $r.pool, $r.pci_atomic_mode, $r.pci_atomic_source, $r.asked,
     (if $r.flags_out % 4 >= 2 then "strict" else "default" end), $r.verdict, $r.why, $r.guard, $r.rule, $r.where,
     $r.exposure, $r.warning, (if $r.result == 0 then "accepted" else "failed" end), $r.nccl, $r.effect,
     $r.effect_why] | map(text) | join(",")] += 1)
