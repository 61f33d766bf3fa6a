package io.convoke.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Bodies whose length is announced. */
class BodyReaderTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** Arrives in pieces, and knows the longest array that it was to be read into. */
  private static final class ArrivingBody extends InputStream {
    private final InputStream sent;
    private final int piece;
    private int longestArray;

    private ArrivingBody(byte[] sent, int piece) {
      this.sent = new ByteArrayInputStream(sent);
      this.piece = piece;
    }

    @Override
    public int read() throws IOException {
      return sent.read();
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
      longestArray = Math.max(longestArray, into.length);
      return sent.read(into, from, Math.min(length, piece));
    }
  }

  @Test
  void what_is_only_announced_takes_no_memory() throws Exception {
    ArrivingBody body = new ArrivingBody(new byte[100], 100);
    assertThat(BodyReader.readExactly(body, 8 << 20, TIMEOUT)).hasSize(100);
    assertThat(body.longestArray).isLessThan(64 * 1024);
  }

  @Test
  void a_body_arrives_whole_in_pieces_of_any_size() throws Exception {
    Random random = new Random(7);
    for (int length : new int[] {0, 1, 16 * 1024, 16 * 1024 + 1, 100_001}) {
      byte[] sent = new byte[length];
      random.nextBytes(sent);
      for (int piece : new int[] {1, 1000, 100_001}) {
        ArrivingBody body = new ArrivingBody(sent, piece);
        assertThat(BodyReader.readExactly(body, length, TIMEOUT)).isEqualTo(sent);
      }
    }
  }
}
