package io.convoke.server.users;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Uses are written in batches, a key once a minute. */
class KeyUseRecorderTest {
  private static final Instant START = Instant.parse("2026-03-01T09:00:00Z");

  private final AtomicReference<Instant> now = new AtomicReference<>(START);
  private final List<Map<Long, Instant>> written = new ArrayList<>();

  @Test
  void a_key_is_written_once_a_minute_however_often_it_is_used() {
    KeyUseRecorder recorder = new KeyUseRecorder(now::get, written::add);
    recorder.flush();
    assertThat(written).isEmpty();
    for (int i = 0; i < 100; i++) {
      recorder.used(7);
      recorder.used(8);
    }
    recorder.flush();
    now.set(START.plusSeconds(59));
    recorder.used(7);
    recorder.flush();
    assertThat(written).containsExactly(Map.of(7L, START, 8L, START));
    now.set(START.plusSeconds(60));
    recorder.used(7);
    recorder.flush();
    assertThat(written).hasSize(2).last().isEqualTo(Map.of(7L, START.plusSeconds(60)));
  }

  @Test
  void what_could_not_be_written_is_written_later() {
    KeyUseRecorder recorder =
        new KeyUseRecorder(
            now::get,
            batch -> {
              if (written.isEmpty()) {
                written.add(batch);
                throw new IllegalStateException("the store is away");
              }
              written.add(batch);
            });
    recorder.used(7);
    try {
      recorder.flush();
    } catch (IllegalStateException _) {
      recorder.flush();
    }
    assertThat(written).containsExactly(Map.of(7L, START), Map.of(7L, START));
  }
}
