package io.convoke.server.launch.docker;

/**
 * A bot in a few lines of shell, without a library: it reads {@code BOT_CONFIG}, reports started
 * and joined, sends five heartbeats a second, leaves on a command, and reports its exit. In a
 * meeting called greedy it allocates memory instead.
 */
final class ShellBot {
  static final String SCRIPT =
      """
      text() { printf '%s' "$BOT_CONFIG" | sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }
      meeting=$(printf '%s' "$BOT_CONFIG" | sed -n 's/.*"meeting_id":\\([0-9]*\\).*/\\1/p')
      token=$(text token); me=$(text connection_id)
      server=$(text callback_url); server=${server#http://}
      call() {
        printf 'POST /callback/%s HTTP/1.1\\r\\nHost: %s\\r\\nAuthorization: Bearer %s\\r\\nContent-Type: application/json\\r\\nContent-Length: %s\\r\\nConnection: close\\r\\n\\r\\n%s' \\
          "$1" "$server" "$token" "${#2}" "$2" | nc "${server%:*}" "${server#*:}"
      }
      call started "{\\"connection_id\\":\\"$me\\",\\"meeting_id\\":$meeting}" > /dev/null
      call joined "{\\"connection_id\\":\\"$me\\"}" > /dev/null
      echo "in $(text native_meeting_id), with $token"
      case "$(text native_meeting_id)" in greedy) x=x; while :; do x=$x$x; done ;; esac
      until call heartbeat "{\\"connection_id\\":\\"$me\\"}" | grep -q '"action":"leave"'; do sleep 0.2; done
      call exited "{\\"connection_id\\":\\"$me\\",\\"exit_code\\":0}"
      """;

  private ShellBot() {}
}
