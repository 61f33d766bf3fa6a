package io.convoke.chaos.sync.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.TimedReply;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Updates that a server gives up too early are found. */
final class WriteDeadlineRuleTest {
  @Test
  void updatesAreTriedUntilTheirDeadlineUnlessTheServerGoes() {
    assertThat(check(503, 2, "postgres")).hasSize(1);
    assertThat(check(503, 2, "server-0")).isEmpty();
    assertThat(check(503, 8, "postgres")).isEmpty();
    assertThat(check(200, 2, "postgres")).isEmpty();
  }

  private static List<RuleViolation> check(int status, long seconds, String target) {
    TimedReply reply =
        new TimedReply(
            "POST", "server-0", status, Instant.EPOCH, Instant.EPOCH.plusSeconds(seconds));
    FaultWindow window =
        new FaultWindow("a fault", target, Instant.EPOCH, Instant.EPOCH.plusSeconds(9));
    return new WriteDeadlineRule()
        .check(
            new AvailabilityRule.Calls(
                Collections.nCopies(4, reply), List.of(window), Set.of(), false));
  }
}
