package io.convoke.chaos.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.dispatch.rules.TaskHistory.RecoveryOutage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What injected faults mean for maintenance; times are in seconds since the beginning. */
final class DispatchFaultLogTest {
  private final FaultTimeline timeline = new FaultTimeline();
  private final DispatchFaultLog log = new DispatchFaultLog(timeline);

  @Test
  void aStoreThatOneProgramLacksIsNoOutage() {
    fault("silent network", 10, 20, "server-0", "redis");
    fault("silent network", 10, 20, "pod-1", "redis");
    assertThat(log.troubles(2)).isEmpty();
  }

  @Test
  void aLossOfDataLastsUntilAServerCouldCompareIt() {
    fault("Redis emptied", 10, 12, "redis", "redis-forgot");
    assertThat(log.troubles(2)).containsExactly(outage("Redis emptied", 10, 16, true));
    fault("kill -9", 11, 30, "server-0");
    assertThat(log.troubles(2)).containsExactly(outage("Redis emptied", 10, 16, true));
    fault("silent network", 9, 20, "server-1", "postgres");
    fault("hang", 17, 18, "server-0");
    assertThat(log.troubles(2))
        .containsExactlyInAnyOrder(
            outage("Redis emptied", 10, 24, true), outage("no server is up", 11, 20, false));
  }

  private void fault(String what, long from, long to, String... targets) {
    for (String target : targets) {
      timeline.add(new FaultWindow(what, target, at(from), at(to)));
    }
  }

  private static RecoveryOutage outage(String what, long from, long to, boolean forgets) {
    return new RecoveryOutage(what, at(from), at(to), forgets);
  }

  private static Instant at(long seconds) {
    return Instant.ofEpochSecond(seconds);
  }
}
