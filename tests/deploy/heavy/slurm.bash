# A Slurm cluster of one node, in $1, of this user's own: its ports, its munge, no cgroups. Needs root. It is told of more
# processors than there are, so that no job waits for the end of the one before.
# shellcheck shell=bash

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'; }

# slurm_files FOLDER BIN: what the daemons read. BIN holds the installed winord.
slurm_files() {
  local folder=$1 host
  host=$(hostname -s)
  mkdir -p "$folder"/{state,spool,munge}
  chmod 755 "$folder" "$folder/munge"
  head -c 1024 /dev/urandom >"$folder/munge/key"
  chmod 400 "$folder/munge/key"
  cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ReturnToService=2
Prolog=$folder/prolog
TaskProlog=$folder/task-prolog
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=h200 Nodes=$host Default=YES OverSubscribe=FORCE:4 State=UP
PartitionName=cpu Nodes=$host OverSubscribe=FORCE:4 State=UP
CONF
}

# slurm_start FOLDER: the daemons, until the node is idle. Their output goes to FOLDER; bats' descriptor 3 is kept from them.
slurm_start() {
  local folder=$1 i
  munged --force --foreground --socket="$folder/munge/socket" --key-file="$folder/munge/key" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" >"$folder/munged.out" 2>&1 3>&- &
  echo $! >"$folder/pids"
  for ((i = 0; i < 50; i++)); do [[ -S $folder/munge/socket ]] && break; sleep 0.1; done
  export SLURM_CONF=$folder/slurm.conf
  slurmctld -D -f "$SLURM_CONF" >"$folder/slurmctld.out" 2>&1 3>&- &
  echo $! >>"$folder/pids"
  slurmd -D -f "$SLURM_CONF" >"$folder/slurmd.out" 2>&1 3>&- &
  echo $! >>"$folder/pids"
  for ((i = 0; i < 100; i++)); do
    [[ $(timeout -k 1 5 sinfo -h -p h200 -o %T 2>/dev/null) == idle ]] && return 0
    sleep 0.2
  done
  echo "the cluster did not come up:"
  tail -n 5 "$folder"/*.out "$folder"/*.log "$folder/munge/log"
  return 1
}

# slurm_stop FOLDER: ends what slurm_start began.
slurm_stop() {
  local pid
  timeout -k 1 10 scancel -u "$(id -un)" 2>/dev/null || true
  while read -r pid; do kill "$pid" 2>/dev/null || true; done <"$1/pids"
  sleep 1
  while read -r pid; do kill -KILL "$pid" 2>/dev/null || true; done <"$1/pids"
}
