package io.convoke.agent.pod;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The last {@value #KEPT} bytes of a program's output. */
final class OutputTail {
  static final int KEPT = 8 * 1024;

  private static final int LINE_MAX = 1000;

  private final byte[] ring = new byte[KEPT];
  private long written;

  /** Reads until the stream ends. */
  void readAll(InputStream stream) throws IOException {
    byte[] buffer = new byte[KEPT];
    for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
      add(buffer, read);
    }
  }

  synchronized void add(byte[] bytes, int length) {
    for (int i = 0; i < length; i++) {
      ring[(int) (written % KEPT)] = bytes[i];
      written++;
    }
  }

  /** The last non-blank line without control characters; empty if there is none. */
  String lastLine() {
    String last =
        text()
            .lines()
            .map(line -> line.replaceAll("\\p{Cntrl}", " ").strip())
            .filter(line -> !line.isEmpty())
            .reduce("", (earlier, later) -> later);
    return last.substring(Math.max(0, last.length() - LINE_MAX));
  }

  private synchronized String text() {
    int length = (int) Math.min(written, KEPT);
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = ring[(int) ((written - length + i) % KEPT)];
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
