package io.convoke.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/**
 * A model of Postgres with writers that lock, draw, commit and roll back between any two queries of
 * a scan. In every order each committed event is read once, in order, the horizon passes none that
 * could still appear, and it reaches the end once all writers have ended.
 */
class HorizonScanModelTest {
  private static final int STEPS = 400;
  private static final int WRITERS_MAX = 6;

  private final List<Writer> atWork = new ArrayList<>();
  private final TreeSet<Long> visible = new TreeSet<>();
  private final List<Long> seen = new ArrayList<>();
  private long sequence;
  private int writers;

  /** One transaction: locks the table, draws sequences, ends, and lets the lock go last. */
  private static final class Writer {
    private final String id;
    private final Set<Long> drawn = new HashSet<>();
    private boolean locked;
    private boolean ended;

    private Writer(int number) {
      this.id = "writer " + number;
    }
  }

  @RepeatedTest(300)
  void nothingIsPassedThatCouldStillAppear(RepetitionInfo repetition) {
    long seed = repetition.getCurrentRepetition();
    Random random = new Random(seed);
    JournalHorizon journalHorizon = JournalHorizon.at(0);
    for (int step = 0; step < STEPS; step++) {
      journalHorizon = scan(journalHorizon, random, 1 + random.nextInt(12), seed);
    }
    while (!atWork.isEmpty()) {
      write(random);
    }
    for (int step = 0; step < 3 * STEPS; step++) {
      journalHorizon = scan(journalHorizon, new Quiet(), 1 + random.nextInt(12), seed);
    }
    assertThat(seen).as("seed %d", seed).containsExactlyElementsOf(visible);
    assertThat(journalHorizon.waitsForHole()).as("seed %d", seed).isFalse();
  }

  private JournalHorizon scan(JournalHorizon before, Random random, int limit, long seed) {
    HorizonScan.JournalView journalView =
        new HorizonScan.JournalView() {
          @Override
          public List<JournalEvent> after(long seq, int limit) {
            interleave(random);
            return visible.tailSet(seq, false).stream()
                .limit(limit)
                .map(HorizonScanModelTest::event)
                .toList();
          }

          @Override
          public Set<String> writers() {
            interleave(random);
            Set<String> ids = new HashSet<>();
            atWork.stream().filter(writer -> writer.locked).forEach(writer -> ids.add(writer.id));
            return ids;
          }
        };
    HorizonScan horizonScan = HorizonScan.from(before, journalView, limit);
    long settled = horizonScan.horizon().settled();
    List<Long> added = horizonScan.events().stream().map(JournalEvent::seq).toList();
    boolean forward = settled >= before.settled();
    boolean complete =
        forward
            && added.equals(List.copyOf(visible.subSet(before.settled(), false, settled, true)));
    boolean noneSkipped =
        atWork.stream()
            .filter(writer -> !writer.ended)
            .flatMap(writer -> writer.drawn.stream())
            .allMatch(seq -> seq > settled);
    if (!forward || !complete || !noneSkipped) {
      throw new AssertionError(
          "seed %d: from %s to %s with %s: forward %s, complete %s, none skipped %s"
              .formatted(
                  seed, before, horizonScan.horizon(), added, forward, complete, noneSkipped));
    }
    seen.addAll(added);
    return horizonScan.horizon();
  }

  private void interleave(Random random) {
    for (int moves = random.nextInt(8); moves > 0; moves--) {
      write(random);
    }
  }

  /** One move of one writer. */
  private void write(Random random) {
    if (atWork.size() < WRITERS_MAX && random.nextInt(4) == 0) {
      atWork.add(new Writer(++writers));
    }
    if (atWork.isEmpty()) {
      return;
    }
    Writer writer = atWork.get(random.nextInt(atWork.size()));
    if (writer.ended) {
      atWork.remove(writer);
    } else if (!writer.locked) {
      writer.locked = true;
    } else if (writer.drawn.size() < 4 && random.nextBoolean()) {
      writer.drawn.add(++sequence);
    } else {
      writer.ended = true;
      if (random.nextInt(3) > 0) {
        visible.addAll(writer.drawn);
      }
    }
  }

  /** Lets no writer act. */
  private static final class Quiet extends Random {
    @Override
    public int nextInt(int bound) {
      return 0;
    }
  }

  private static JournalEvent event(long seq) {
    return new JournalEvent(
        seq, "type", "subject", Optional.empty(), Instant.EPOCH, Json.tree(Map.of("n", seq)));
  }
}
