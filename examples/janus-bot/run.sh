#!/bin/sh
# Starts the bot in little memory: a serial collector with a small heap, one compiler, short object headers, one arena of malloc
# that gives back what is free. What each saves is in docs/scaling.md of Convoke. JANUS_BOT_JAVA names another java than the
# PATH's, and JANUS_BOT_CLASSES another class path than what Maven packed.
here=$(cd "$(dirname "$0")" && pwd)
export MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536 MALLOC_MMAP_THRESHOLD_=65536
exec "${JANUS_BOT_JAVA:-java}" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xms4m -Xmx48m -Xmn3m \
  -XX:ReservedCodeCacheSize=16m -XX:+UseCompactObjectHeaders -XX:TrimNativeHeapInterval=5000 \
  -XX:-UsePerfData --enable-native-access=ALL-UNNAMED \
  -cp "${JANUS_BOT_CLASSES:-$here/target/janus-bot-1.0.jar:$here/target/lib/*}" org.example.janusbot.JanusBot
