package io.convoke.lab.chaos.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.chaos.sync.verdict.Op;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What callers noted comes back as it was, as often as one reads. */
class OpLogTest {
  private static final List<Op.Kind> KINDS =
      List.of(Op.Kind.WRITE, Op.Kind.READ, Op.Kind.STALE_READ);

  @Test
  void whatManyCallersNotedIsReadBackWholeAndAgain(@TempDir Path folder) throws Exception {
    try (OpLog log = new OpLog(folder.resolve("calls"))) {
      List<Op> noted = new ArrayList<>();
      for (int i = 0; i < 4_500; i++) {
        Op op =
            new Op(
                KINDS.get(i % 3),
                i - 1,
                -1L + i % 7,
                "nisf?".charAt(i % 5),
                System.nanoTime(),
                i % 11 == 0 ? Long.MAX_VALUE : System.nanoTime());
        noted.add(op);
        log.add(op);
      }
      assertThat(log).containsExactlyElementsOf(noted);
      Op late = new Op(Op.Kind.WRITE, 7, 8, 's', 1, 2);
      log.add(late);
      noted.add(late);
      assertThat(log).as("a second time, with what came since").containsExactlyElementsOf(noted);
    }
  }

  @Test
  void callersDoNotTearEachOthersNotes(@TempDir Path folder) throws Exception {
    try (OpLog log = new OpLog(folder.resolve("calls"))) {
      List<Thread> callers =
          IntStream.range(0, 4)
              .mapToObj(
                  caller ->
                      Thread.ofPlatform()
                          .start(
                              () -> {
                                for (int i = 0; i < 3_000; i++) {
                                  log.add(new Op(Op.Kind.READ, caller, i, 'i', caller, i));
                                }
                              }))
              .toList();
      for (Thread caller : callers) {
        caller.join();
      }
      long[] next = new long[4];
      for (Op op : log) {
        assertThat(op.version()).isEqualTo(next[(int) op.id()]++);
        assertThat(op.start()).isEqualTo(op.id());
        assertThat(op.end()).isEqualTo(op.version());
      }
      assertThat(next).containsOnly(3_000);
    }
  }
}
