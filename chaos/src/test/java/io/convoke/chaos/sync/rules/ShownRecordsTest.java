package io.convoke.chaos.sync.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.sync.rules.ShownRecords.ShownRecord;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What each read must show, and what it may. */
final class ShownRecordsTest {
  private static final String HIT = "convoke; hit";
  private static final String AWAY = "convoke; hit; detail=database-out-of-reach";

  private final ShownRecords records = new ShownRecords();

  @Test
  void theSameRecordWithTheSameTagIsRight() {
    add(200, "", "\"5\"", HIT, "a", false, false, 1);
    add(200, "\"4\"", "\"5\"", "convoke; fwd=miss", "a", false, false, 2);
    add(200, "\"5\"", "\"5-stale\"", AWAY, "b", false, true, 2);
    add(200, "\"5\"", "\"5-stalled\"", HIT, "c", true, false, 7);
    add(304, "\"5\"", "\"5\"", HIT, "", false, false, 7);
    assertThat(records.findings()).isEmpty();
  }

  @Test
  void anotherRecordUnderTheSameTagIsFound() {
    add(200, "", "\"5\"", HIT, "a", false, false, 1);
    add(200, "", "\"5\"", HIT, "b", false, false, 1);
    assertThat(records.findings()).hasSize(1);
  }

  @Test
  void aKnownTagThatIsAnsweredWhollyAndAnUnknownOneThatIsNotAreFound() {
    add(200, "\"5\"", "\"5\"", HIT, "a", false, false, 1);
    add(304, "\"4\"", "\"5\"", HIT, "", false, false, 1);
    add(200, "", "", HIT, "a", false, false, 1);
    assertThat(records.findings()).hasSize(3);
  }

  @Test
  void aCacheStatusThatDiffersFromTheRecordIsFound() {
    add(200, "", "\"5-stale\"", HIT, "a", false, true, 1);
    add(200, "", "\"6\"", AWAY, "b", false, false, 1);
    add(200, "", "\"7\"", "", "c", false, false, 1);
    assertThat(records.findings()).hasSize(3);
  }

  @Test
  void aStallThatIsShownTooEarlyOrNotIsFound() {
    add(200, "", "\"5-stalled\"", HIT, "a", true, false, 4);
    add(200, "", "\"5\"", HIT, "b", false, false, 8);
    assertThat(records.findings()).hasSize(2);
  }

  @Test
  void theFirstFiveViolationsAreShown() {
    for (int i = 0; i < 6; i++) {
      add(200, "", "", HIT, "a", false, false, 1);
    }
    assertThat(records.findings()).hasSize(5);
  }

  private void add(
      int status,
      String known,
      String tag,
      String cache,
      String body,
      boolean stalled,
      boolean stale,
      long second) {
    Instant at = Instant.EPOCH.plusSeconds(second);
    records.add(
        new ShownRecord(
            "m",
            status,
            known,
            tag,
            cache,
            body,
            'i',
            stalled,
            stale,
            Instant.EPOCH.toString(),
            at,
            at));
  }
}
