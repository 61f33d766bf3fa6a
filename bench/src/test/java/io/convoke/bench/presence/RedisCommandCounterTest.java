package io.convoke.bench.presence;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class RedisCommandCounterTest {
  private static final byte[] THREE =
      """
      *1\r
      $4\r
      PING\r
      *3\r
      $3\r
      SET\r
      $4\r
      name\r
      $8\r
      *1\r
      $4\r
      \r
      *2\r
      $3\r
      GET\r
      $0\r
      \r
      """
          .getBytes(StandardCharsets.UTF_8);

  @Test
  void aScriptOrACommandIsOneCallWhateverItsWordsLookLike() {
    RedisCommandCounter counter = new RedisCommandCounter();

    counter.read(THREE, THREE.length);

    assertThat(counter.calls()).isEqualTo(3);
  }

  @Test
  void piecesOfAnySizeMakeNoDifference() {
    for (int size = 1; size < THREE.length; size++) {
      RedisCommandCounter counter = new RedisCommandCounter();
      for (int from = 0; from < THREE.length; from += size) {
        int length = Math.min(size, THREE.length - from);
        byte[] piece = new byte[length];
        System.arraycopy(THREE, from, piece, 0, length);
        counter.read(piece, length);
      }
      assertThat(counter.calls()).as("in pieces of %d", size).isEqualTo(3);
    }
  }
}
