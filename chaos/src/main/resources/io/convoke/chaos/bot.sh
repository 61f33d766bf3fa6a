# A bot that a test speaks for: it keeps its configuration in the folder $1 and waits.
printf '%s' "$BOT_CONFIG" > "$1/$$.part"
mv "$1/$$.part" "$1/$$.json"
exec sleep 180
