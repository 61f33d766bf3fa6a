package io.convoke.chaos.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.chaos.sync.rules.SyncCall.SyncDetail;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The same seed, the same plan; and what a caller picks out of an answer. */
class SyncPlannerTest {
  @Test
  void theSameSeedMakesTheSamePlanWithinTheFaultPhase() {
    ChaosSettings settings = ChaosSettings.FULL.withStorm(Duration.ofSeconds(60));
    List<Fault> plan = SyncPlanner.plan(7, settings);
    assertThat(plan).isEqualTo(SyncPlanner.plan(7, settings)).hasSizeGreaterThan(8);
    assertThat(plan).isNotEqualTo(SyncPlanner.plan(8, settings));
    assertThat(plan).allSatisfy(fault -> assertThat(fault.at()).isLessThan(Duration.ofSeconds(60)));
  }

  @Test
  void aRecordIsReadWithoutBeingParsed() {
    String body =
        """
        {"meeting_id":"m","status":"failure","updated_at":"2026-04-13T10:30:00.000Z",\
        "last_step":"JobB","attempts":2,"last_synced_by":"w17","steps":[{"step":"JobB",\
        "status":"in_progress"}],"stalled":false,"version":5,"attempt":2,"stale":true}\
        """;
    SyncDetail detail = new SyncDetail("JobB", "2026-04-13T10:30:00.000Z");
    assertThat(ParsedSyncRecord.of(body))
        .isEqualTo(new ParsedSyncRecord(5, 17, 'f', false, true, detail));
    String fresh = body.replace("\"w17\"", "null").replace("true}", "false}");
    assertThat(ParsedSyncRecord.of(fresh))
        .isEqualTo(new ParsedSyncRecord(5, 0, 'f', false, false, detail));
  }
}
