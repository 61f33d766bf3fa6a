#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
fi
# The user stays: another package may need it, and files elsewhere may be its own.
if [ "$1" = purge ]; then
  rm -rf /var/lib/@SERVICE@
  rmdir /etc/convoke 2>/dev/null || true
fi
