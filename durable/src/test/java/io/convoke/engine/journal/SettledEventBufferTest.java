package io.convoke.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SettledEventBufferTest {
  private final SettledEventBuffer settledEventBuffer = new SettledEventBuffer();

  @Test
  void memoryReachesBackToItsBeginningAndNoFurther() {
    settledEventBuffer.grow(10, List.of());
    settledEventBuffer.grow(13, events(11, 12, 13));
    assertThat(settledEventBuffer.after(9, EventFilter.ALL, 100)).isEmpty();
    assertThat(settledEventBuffer.after(10, EventFilter.ALL, 100).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(events(11, 12, 13), 13));
    assertThat(settledEventBuffer.after(12, EventFilter.ALL, 100).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(events(13), 13));
  }

  @Test
  void aFullPieceEndsWhereItsLastEventIs() {
    settledEventBuffer.grow(0, List.of());
    settledEventBuffer.grow(5, events(1, 3, 5));
    assertThat(settledEventBuffer.after(0, EventFilter.ALL, 2).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(events(1, 3), 3));
  }

  @Test
  void whatDoesNotFitIsReadAndLeftOut() {
    settledEventBuffer.grow(0, List.of());
    settledEventBuffer.grow(4, events(1, 2, 3, 4));
    assertThat(settledEventBuffer.after(1, EventFilter.subject("s3"), 9).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(events(3), 4));
  }

  @Test
  void theOldestAreForgottenWhenItIsFull() {
    settledEventBuffer.grow(0, List.of());
    settledEventBuffer.grow(5000, events(LongStream.rangeClosed(1, 5000).toArray()));
    assertThat(settledEventBuffer.after(903, EventFilter.ALL, 9)).isEmpty();
    assertThat(settledEventBuffer.after(904, EventFilter.ALL, 1).orElseThrow().events())
        .containsExactlyElementsOf(events(905));
  }

  @Test
  void aReaderHearsOfTheEndAndOfItsOwnStop() throws InterruptedException {
    settledEventBuffer.grow(3, List.of());
    long soon = System.nanoTime();
    long never = soon + 3_600_000_000_000L;
    assertThat(settledEventBuffer.awaitAfter(2, soon, () -> false)).contains(3L);
    assertThat(settledEventBuffer.awaitAfter(3, soon, () -> false)).isEmpty();
    assertThat(settledEventBuffer.awaitAfter(3, never, () -> true)).isEmpty();
    settledEventBuffer.close();
    assertThat(settledEventBuffer.awaitAfter(3, never, () -> false)).isEmpty();
    assertThat(settledEventBuffer.closed()).isTrue();
  }

  private static List<JournalEvent> events(long... seqs) {
    return LongStream.of(seqs)
        .mapToObj(
            seq ->
                new JournalEvent(
                    seq, "t", "s" + seq, Optional.empty(), Instant.EPOCH, Json.tree(Map.of())))
        .toList();
  }
}
