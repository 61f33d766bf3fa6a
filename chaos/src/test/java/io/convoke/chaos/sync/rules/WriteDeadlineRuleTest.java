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
    assertThat(check(4, 503, 6499, "postgres")).hasSize(1);
    assertThat(check(4, 503, 6499, "server-0")).isEmpty();
    assertThat(check(4, 503, 6500, "postgres")).isEmpty();
    assertThat(check(4, 200, 6499, "postgres")).isEmpty();
    assertThat(check(3, 503, 6499, "postgres")).as("conflicts").isEmpty();
  }

  private static List<RuleViolation> check(int number, int status, long millis, String target) {
    TimedReply reply =
        new TimedReply("POST", "server-0", status, Instant.EPOCH, Instant.ofEpochMilli(millis));
    FaultWindow window =
        new FaultWindow("a fault", target, Instant.EPOCH, Instant.EPOCH.plusSeconds(9));
    return new WriteDeadlineRule()
        .check(
            new AvailabilityRule.Calls(
                Collections.nCopies(number, reply), List.of(window), Set.of(), false));
  }
}
