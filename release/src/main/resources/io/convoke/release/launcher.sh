#!/bin/sh
# @DESCRIPTION@: runs it with the Java and the libraries beside this script.
#
# Settings are environment variables. Those that are not set are taken from the first of these files that exists:
# $CONVOKE_ENV_FILE, conf/@SERVICE@.env beside this script, /etc/convoke/@SERVICE@.env. A line is NAME=VALUE; quotes
# around a value are removed, nothing is expanded.
set -eu

home=$(dirname "$(dirname "$(readlink -f "$0")")")
commands="@COMMANDS@"

usage() {
  echo "Usage: @LAUNCHER@ COMMAND [OPTION]...; commands: $commands"
  echo "       @LAUNCHER@ COMMAND --help, @LAUNCHER@ --version"
}

read_settings() {
  while IFS= read -r line || [ -n "$line" ]; do
    case "$line" in
      '' | '#'*) continue ;;
      [A-Z_]*=*) ;;
      *)
        echo "@LAUNCHER@: $1: not NAME=VALUE: ${line%%=*}" >&2
        exit 2
        ;;
    esac
    name=${line%%=*}
    value=${line#*=}
    case "$name" in *[!A-Z0-9_]*)
      echo "@LAUNCHER@: $1: not a name: $name" >&2
      exit 2
      ;;
    esac
    case "$value" in
      \"*\") value=${value#\"} value=${value%\"} ;;
      \'*\') value=${value#\'} value=${value%\'} ;;
    esac
    eval "[ -n \"\${$name+set}\" ]" || export "$name=$value"
  done <"$1"
}

if [ "${1:-}" = --version ]; then
  cat "$home/VERSION"
  exit 0
fi
if [ -n "$commands" ]; then
  case " $commands " in
    *" ${1:---help} "*) ;;
    *)
      usage >&2
      case "${1:-}" in help | --help | -h) exit 0 ;; esac
      exit 2
      ;;
  esac
fi

for file in "${CONVOKE_ENV_FILE:-}" "$home/conf/@SERVICE@.env" "/etc/convoke/@SERVICE@.env"; do
  [ -e "$file" ] || continue
  [ -r "$file" ] || {
    echo "@LAUNCHER@: $file may not be read; run as root or as the service's user" >&2
    exit 2
  }
  read_settings "$file"
  break
done
unset CONVOKE_ENV_FILE

path=
while IFS= read -r jar; do
  path=$path:$home/lib/$jar
done <"$home/lib/classpath"

# Makes starts quick. The JVM does without where it does not fit, as after a change in lib.
classes=$home/lib/classes.jsa
# shellcheck disable=SC2086
exec "$home/runtime/bin/java" @OPTIONS@ -Dconvoke.docs="$home/docs" \
  -XX:SharedArchiveFile="$classes" -Xshare:auto -Xlog:disable -Xlog:all=error,cds*=off,aot*=off:stderr \
  ${CONVOKE_JAVA_OPTS:-} -cp "${path#:}" @MAIN@ "$@"
