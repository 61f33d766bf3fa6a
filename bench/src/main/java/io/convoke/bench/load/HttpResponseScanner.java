package io.convoke.bench.load;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Finds the end of one HTTP/1.1 answer with a {@code Content-Length}, without making objects. */
final class HttpResponseScanner {
  private static final byte[] LENGTH = {
    'c', 'o', 'n', 't', 'e', 'n', 't', '-', 'l', 'e', 'n', 'g', 't', 'h', ':'
  };

  /** The status if the buffer, filled up to its position, has a complete response; 0 if not yet. */
  int status(ByteBuffer in) throws IOException {
    int end = headEnd(in);
    if (end < 0) {
      return 0;
    }
    int status = (in.get(9) - '0') * 100 + (in.get(10) - '0') * 10 + (in.get(11) - '0');
    int length = contentLength(in, end);
    if (length < 0) {
      if (status == 204) {
        length = 0;
      } else {
        throw new IOException("an answer " + status + " has no Content-Length");
      }
    }
    int whole = end + 4 + length;
    if (in.position() > whole) {
      throw new IOException("more than one response");
    }
    return in.position() == whole ? status : 0;
  }

  private static int headEnd(ByteBuffer in) {
    for (int i = 12; i + 3 < in.position(); i++) {
      if (in.get(i) == '\r'
          && in.get(i + 1) == '\n'
          && in.get(i + 2) == '\r'
          && in.get(i + 3) == '\n') {
        return i;
      }
    }
    return -1;
  }

  private static int contentLength(ByteBuffer in, int end) {
    for (int i = 12; i < end; i++) {
      if (in.get(i) == '\n' && matches(in, i + 1, end)) {
        int length = 0;
        for (int j = i + 1 + LENGTH.length; j < end && in.get(j) != '\r'; j++) {
          byte digit = in.get(j);
          if (digit >= '0' && digit <= '9') {
            length = length * 10 + (digit - '0');
          }
        }
        return length;
      }
    }
    return -1;
  }

  private static boolean matches(ByteBuffer in, int from, int end) {
    if (from + LENGTH.length > end) {
      return false;
    }
    for (int i = 0; i < LENGTH.length; i++) {
      int letter = in.get(from + i);
      int lower = letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
      if (lower != LENGTH[i]) {
        return false;
      }
    }
    return true;
  }
}
