# Reads the lines that are written in a recording's audio, and fails as notes beside it say.
# $1: the folder of notes   $2: the audio
# A note is a file LABEL.NUMBER.FAULT and is used once; LABEL.deaf is used each time.
notes=$1
lines=$(tail -c +45 "$2" | tr -s ' ')
label=$(printf '%s\n' "$lines" | head -n 1)
label=${label%% *}
# One short line in one write, so that the lines of several do not mix.
printf 'begin %s %s %s\n' "$label" "$$" "$(date +%s.%N)" >> "$notes/heard"
if [ -e "$notes/$label.deaf" ]; then
  echo "this is music" >&2
  exit 65
fi
fault=none
for note in "$notes/$label".*; do
  if mv "$note" "$notes/used/" 2> /dev/null; then
    fault=${note##*.}
    break
  fi
done
n=0
while read -r line; do
  if [ "$n" -eq 2 ]; then
    case $fault in
      errs) echo "the microphone is hot" >&2; exit 1 ;;
      dies) kill -9 $$ ;;
      slow) sleep 0.7 ;;
      harms)
        # A disk that lies: one letter of the stored audio is another one from now on.
        printf '#' | dd of="$(cat "$notes/used/${note##*/}")" bs=1 seek=8286 conv=notrunc 2> /dev/null
        exit 1
        ;;
    esac
  fi
  printf '{"start": %s, "end": %s, "text": "%s"}\n' "$n" "$((n + 1))" "$line"
  n=$((n + 1))
done << END
$lines
END
printf 'end %s %s\n' "$label" "$$" >> "$notes/heard"
