package io.convoke.bench.presence;

/** Counts the commands in a stream of Redis' protocol, independent of packet boundaries. */
final class RedisCommandCounter {
  private long calls;

  /** Bulk strings that the command still has. */
  private long words;

  /** Bytes of the argument that are still missing, its line end included. */
  private long skip;

  private boolean inLine;
  private byte type;
  private long number;

  void read(byte[] piece, int length) {
    for (int i = 0; i < length; i++) {
      if (skip > 0) {
        long step = Math.min(skip, length - i);
        skip -= step;
        i += (int) step - 1;
      } else if (!inLine) {
        inLine = true;
        type = piece[i];
        number = 0;
      } else if (piece[i] == '\n') {
        inLine = false;
        line();
      } else if (piece[i] >= '0' && piece[i] <= '9') {
        number = number * 10 + (piece[i] - '0');
      }
    }
  }

  long calls() {
    return calls;
  }

  private void line() {
    if (type == '*') {
      words = number;
      calls++;
    } else if (type == '$' && words > 0) {
      words--;
      skip = number + 2;
    }
  }
}
