package io.convoke.server.platform.daily;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.sim.Simulator;
import io.convoke.lab.sim.SimulatorOptions;
import io.convoke.lab.sim.fault.Fault;
import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.world.RoomRequest;
import io.convoke.lab.sim.world.Visitor;
import io.convoke.server.platform.Budget;
import io.convoke.server.platform.DomainPresence;
import io.convoke.server.platform.Outage.Cause;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.platform.RoomPresence;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Daily's answers prove, against the simulator. */
class DailyClientTest {
  private final Simulator sim = Simulator.start(SimulatorOptions.defaults());
  private final List<Duration> frozen = new ArrayList<>();
  private final DailyClient daily = client(sim.apiUrl(), sim.apiKey());

  private DailyClient client(URI url, String key) {
    Budget budget =
        new Budget() {
          @Override
          public Optional<Duration> take() {
            return Optional.empty();
          }

          @Override
          public void freeze(Duration duration) {
            frozen.add(duration);
          }
        };
    return new DailyClient(
        new DailyTerms(url, key, Duration.ofSeconds(2)), budget, InstantSource.system());
  }

  @BeforeEach
  void people() {
    var _ = sim.world().create(RoomRequest.named("standup"));
    var _ = sim.world().join("standup", Visitor.named("Ada").withUserId("u1"));
    var _ = sim.world().join("standup", Visitor.anonymous());
  }

  @AfterEach
  void close() {
    sim.close();
  }

  private static Cause cause(RoomPresence presence) {
    return switch (presence) {
      case RoomPresence.Unknown unknown -> unknown.outage().cause();
      case RoomPresence.Complete complete -> throw new AssertionError(complete);
      case RoomPresence.Partial partial -> throw new AssertionError(partial);
    };
  }

  @Test
  void aRoomsPeopleAreComplete() {
    assertThat(daily.presence("standup"))
        .isInstanceOfSatisfying(
            RoomPresence.Complete.class,
            complete -> {
              assertThat(complete.participants()).hasSize(2);
              assertThat(complete.participants())
                  .anySatisfy(person -> assertThat(person.userName()).contains("Ada"))
                  .anySatisfy(person -> assertThat(person.userName()).isEmpty());
            });
  }

  @Test
  void anEmptyRoomIsCompleteAndAMissingOneIsUnknown() {
    var _ = sim.world().create(RoomRequest.named("empty"));
    assertThat(daily.presence("empty")).isInstanceOf(RoomPresence.Complete.class);
    assertThat(cause(daily.presence("nowhere at all/?"))).isEqualTo(Cause.NOT_FOUND);
  }

  @Test
  void aTruncatedAnswerIsPartial() {
    sim.faults().set(FaultKind.PRESENCE_TRUNCATED, Fault.ALWAYS);
    assertThat(daily.presence("standup"))
        .isInstanceOfSatisfying(
            RoomPresence.Partial.class,
            partial -> {
              assertThat(partial.participants()).hasSize(1);
              assertThat(partial.total()).isEqualTo(2);
            });
  }

  @Test
  void theWholeDomainIsOneCall() {
    assertThat(daily.presence())
        .isInstanceOfSatisfying(
            DomainPresence.Known.class,
            known -> {
              assertThat(known.in("standup")).hasSize(2);
              assertThat(known.in("nowhere")).isEmpty();
            });
  }

  @Test
  void a429FreezesTheBudgetForAsLongAsItSays() {
    sim.faults().set(FaultKind.API_429, Fault.ALWAYS.lasting(Duration.ofSeconds(7)));
    assertThat(cause(daily.presence("standup"))).isEqualTo(Cause.RATE_LIMITED);
    assertThat(frozen).singleElement().satisfies(it -> assertThat(it).isPositive());
  }

  @Test
  void faultsAreValues() {
    sim.faults().set(FaultKind.API_500, Fault.ALWAYS.times(1));
    assertThat(cause(daily.presence("standup"))).isEqualTo(Cause.SERVER_ERROR);
    assertThat(cause(client(sim.apiUrl(), "wrong").presence("standup"))).isEqualTo(Cause.REFUSED);
    assertThat(cause(client(URI.create("http://127.0.0.1:1/v1"), "k").presence("standup")))
        .isEqualTo(Cause.UNREACHABLE);
  }

  @Test
  void anAnswerThatDoesNotComeIsATimeout() {
    sim.faults().set(FaultKind.API_SLOW, Fault.ALWAYS.lasting(Duration.ofMinutes(1)));
    DailyClient impatient =
        new DailyClient(
            new DailyTerms(sim.apiUrl(), sim.apiKey(), Duration.ofMillis(200)),
            Budget.unlimited(),
            InstantSource.system());
    // The length of the fault is drawn; over a few calls one is longer than the bound.
    assertThat(
            List.of(impatient.presence("standup"), impatient.presence("standup")).stream()
                .filter(RoomPresence.Unknown.class::isInstance)
                .map(DailyClientTest::cause))
        .contains(Cause.TIMEOUT);
  }

  @Test
  void aRoomsMeetingGoesOnOrEndedOrNeverWas() {
    var _ = sim.world().create(RoomRequest.named("quiet"));
    assertThat(daily.activity("standup")).isInstanceOf(RoomActivity.Ongoing.class);
    assertThat(daily.activity("quiet")).isInstanceOf(RoomActivity.Never.class);
    assertThat(sim.world().endMeeting("standup")).isTrue();
    assertThat(daily.activity("standup")).isInstanceOf(RoomActivity.Ended.class);
  }

  @Test
  void theKeyIsInNoText() {
    assertThat(new DailyTerms(sim.apiUrl(), "top-secret", Duration.ofSeconds(1)).toString())
        .doesNotContain("top-secret");
  }
}
