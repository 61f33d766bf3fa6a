# Works on one task as its payload says ("fate": "KIND SECONDS TIMES"), and notes where no store is
# involved when it begins and when it is about to end. Nothing that lasts is started but one sleep.
# LAB_NOTES: the file of notes   LAB_LIFE: the process of the pod
# Without its task it was started by a pod that is dead by now.
read -r task || exit 70
# Only the pod sees the two tokens, and the task is that of the environment.
token='"access_token":"chaos-token"'
case $task in
  *"$token"*"$token"*"\"worker_id\":$CONVOKE_WORKER_ID,"*"\"attempt\":$CONVOKE_TASK_ATTEMPT"*) ;;
  *) echo "$CONVOKE_TASK_ID has another task" >&2; exit 71 ;;
esac
# The settings and keys of its pod are not in its environment.
if [ "$(env | grep -c '^CONVOKE_')" != 3 ]; then
  echo "$CONVOKE_TASK_ID has settings of its pod" >&2
  exit 72
fi
pod=${task#*\"pod_id\":\"}
pod=${pod%%\"*}
fate=${task#*\"fate\":\"}
fate=${fate%%\"*}
kind=${fate%% *}
times=${fate##* }
seconds=${fate#* }
seconds=${seconds% *}
# One short line in one write, so that the lines of several do not mix.
note() {
  read -r up _ < /proc/uptime
  printf '%s %s %s %s %s %s %s\n' \
    "$1" "$up" "$CONVOKE_TASK_ID" "$CONVOKE_TASK_ATTEMPT" "$LAB_LIFE" "$pod" "$2" >> "$LAB_NOTES"
}
if [ "$kind" = deaf ]; then
  trap '' TERM
else
  # The answer to a stop is not the program's to give: one that fails is stopped as any other.
  # It needs a moment, which it has: more than when its pod stops if it fails.
  moment=0.1
  [ "$kind" = fails ] && moment=0.8
  trap 'sleep $moment; note end stopped; [ "$kind" != fails ]; exit $?' TERM
fi
note begin "$CONVOKE_WORKER_ID"
sleep "$seconds" &
wait $!
trap '' TERM
code=0
if [ "$CONVOKE_TASK_ATTEMPT" -le "$times" ]; then
  code=75
  echo "not now" >&2
elif [ "$kind" = fails ]; then
  code=1
  # Servers and others are to see the reason without the token.
  echo "it cannot be done with chaos-token" >&2
fi
note end "$code"
exit "$code"
