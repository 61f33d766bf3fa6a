#!/bin/sh
set -e
if [ "$1" = configure ]; then
  getent passwd convoke >/dev/null ||
    adduser --system --group --quiet --home /var/lib/convoke --no-create-home convoke
  # Its settings are secrets of the service.
  chown root:convoke /etc/convoke/@SERVICE@.env
  chmod 0640 /etc/convoke/@SERVICE@.env
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    # Only after an upgrade: a new installation has no settings yet.
    [ -z "$2" ] || systemctl try-restart @SERVICE@.service
  fi
fi
