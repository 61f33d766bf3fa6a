package io.convoke.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class WindowTest {
  private final Window window = new Window();

  @Test
  void memoryReachesBackToItsBeginningAndNoFurther() {
    window.grow(10, List.of());
    window.grow(13, events(11, 12, 13));
    assertThat(window.after(9, EventFilter.ALL, 100)).isEmpty();
    assertThat(window.after(10, EventFilter.ALL, 100).orElseThrow())
        .isEqualTo(new Window.Piece(events(11, 12, 13), 13));
    assertThat(window.after(12, EventFilter.ALL, 100).orElseThrow())
        .isEqualTo(new Window.Piece(events(13), 13));
  }

  @Test
  void aFullPieceEndsWhereItsLastEventIs() {
    window.grow(0, List.of());
    window.grow(5, events(1, 3, 5));
    assertThat(window.after(0, EventFilter.ALL, 2).orElseThrow())
        .isEqualTo(new Window.Piece(events(1, 3), 3));
  }

  @Test
  void whatDoesNotFitIsReadAndLeftOut() {
    window.grow(0, List.of());
    window.grow(4, events(1, 2, 3, 4));
    assertThat(window.after(1, EventFilter.subject("s3"), 9).orElseThrow())
        .isEqualTo(new Window.Piece(events(3), 4));
  }

  @Test
  void theOldestAreForgottenWhenItIsFull() {
    window.grow(0, List.of());
    window.grow(5000, events(LongStream.rangeClosed(1, 5000).toArray()));
    assertThat(window.after(903, EventFilter.ALL, 9)).isEmpty();
    assertThat(window.after(904, EventFilter.ALL, 1).orElseThrow().events())
        .containsExactlyElementsOf(events(905));
  }

  @Test
  void aReaderHearsOfTheEndAndOfItsOwnStop() throws InterruptedException {
    window.grow(3, List.of());
    long soon = System.nanoTime();
    long never = soon + 3_600_000_000_000L;
    assertThat(window.awaitAfter(2, soon, () -> false)).contains(3L);
    assertThat(window.awaitAfter(3, soon, () -> false)).isEmpty();
    assertThat(window.awaitAfter(3, never, () -> true)).isEmpty();
    window.close();
    assertThat(window.awaitAfter(3, never, () -> false)).isEmpty();
    assertThat(window.closed()).isTrue();
  }

  private static List<Event> events(long... seqs) {
    return LongStream.of(seqs)
        .mapToObj(
            seq ->
                new Event(
                    seq, "t", "s" + seq, Optional.empty(), Instant.EPOCH, Json.tree(Map.of())))
        .toList();
  }
}
