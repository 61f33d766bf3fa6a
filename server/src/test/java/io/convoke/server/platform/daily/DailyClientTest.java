package io.convoke.server.platform.daily;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.platform.DomainPresence;
import io.convoke.server.platform.MeetingAttendance;
import io.convoke.server.platform.PlatformError.PlatformErrorKind;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.platform.RoomAddress;
import io.convoke.server.platform.RoomPresence;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Results of Daily's responses, against the simulator. */
class DailyClientTest {
  private final Simulator sim = Simulator.start(SimulatorConfig.defaults());
  private final List<Duration> frozen = new ArrayList<>();
  private final DailyClient daily = client(sim.apiUrl(), sim.apiKey());

  private DailyClient client(URI url, String key) {
    RateLimiter rateLimiter =
        new RateLimiter() {
          @Override
          public Optional<Duration> tryAcquire() {
            return Optional.empty();
          }

          @Override
          public void freeze(Duration duration) {
            frozen.add(duration);
          }
        };
    return new DailyClient(
        new DailyConfig(url, key, Duration.ofSeconds(2)), rateLimiter, InstantSource.system());
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

  private static PlatformErrorKind cause(RoomPresence presence) {
    return switch (presence) {
      case RoomPresence.RoomPresenceUnknown roomPresenceUnknown ->
          roomPresenceUnknown.outage().cause();
      case RoomPresence.RoomPresenceComplete roomPresenceComplete ->
          throw new AssertionError(roomPresenceComplete);
      case RoomPresence.RoomPresencePartial roomPresencePartial ->
          throw new AssertionError(roomPresencePartial);
      case RoomPresence.RoomMissing roomMissing -> throw new AssertionError(roomMissing);
    };
  }

  /** The path of another room, and that of the whole account. */
  @ParameterizedTest
  @ValueSource(strings = {"..", "../standup", "other/../standup", "standup/", "standup?a", "é", ""})
  void aNameThatNoRoomCanHaveIsNotAskedFor(String room) {
    assertThat(cause(daily.presence(room))).isEqualTo(PlatformErrorKind.NOT_FOUND);
    assertThat(daily.activity(room)).isInstanceOf(RoomActivity.RoomActivityUnknown.class);
    assertThat(daily.roomAddress(room)).isEqualTo(RoomAddress.none());
  }

  @Test
  void aRoomsPeopleAreComplete() {
    assertThat(daily.presence("standup"))
        .isInstanceOfSatisfying(
            RoomPresence.RoomPresenceComplete.class,
            roomPresenceComplete -> {
              assertThat(roomPresenceComplete.participants()).hasSize(2);
              assertThat(roomPresenceComplete.participants())
                  .anySatisfy(person -> assertThat(person.userName()).contains("Ada"))
                  .anySatisfy(person -> assertThat(person.userName()).isEmpty());
            });
  }

  @Test
  void anEmptyRoomIsCompleteAndAMissingOneIsUnknown() {
    var _ = sim.world().create(RoomRequest.named("empty"));
    assertThat(daily.presence("empty")).isInstanceOf(RoomPresence.RoomPresenceComplete.class);
    assertThat(cause(daily.presence("nowhere at all/?"))).isEqualTo(PlatformErrorKind.NOT_FOUND);
  }

  @Test
  void aTruncatedAnswerIsPartial() {
    sim.faults().set(FaultKind.PRESENCE_TRUNCATED, FaultSetting.ALWAYS);
    assertThat(daily.presence("standup"))
        .isInstanceOfSatisfying(
            RoomPresence.RoomPresencePartial.class,
            roomPresencePartial -> {
              assertThat(roomPresencePartial.participants()).hasSize(1);
              assertThat(roomPresencePartial.total()).isEqualTo(2);
            });
  }

  @Test
  void aRoomOfMoreThanOnePageIsAskedForAsAWhole() {
    crowd(250);
    assertThat(daily.presence("hall"))
        .isInstanceOfSatisfying(
            RoomPresence.RoomPresenceComplete.class,
            roomPresenceComplete -> assertThat(roomPresenceComplete.participants()).hasSize(250));
    assertThat(sim.requests().count("GET /v1/rooms/{name}/presence")).isEqualTo(2);
  }

  @Test
  void aRoomThatNoAnswerHoldsIsReadFromTheWholeDomain() {
    crowd(250);
    sim.presence().most(200);
    assertThat(daily.presence("hall"))
        .isInstanceOfSatisfying(
            RoomPresence.RoomPresenceComplete.class,
            roomPresenceComplete -> assertThat(roomPresenceComplete.participants()).hasSize(250));
    assertThat(sim.requests().count("GET /v1/presence")).isEqualTo(1);
  }

  private void crowd(int people) {
    var _ = sim.world().create(RoomRequest.named("hall"));
    for (int i = 0; i < people; i++) {
      assertThat(sim.world().join("hall", Visitor.named("Person " + i)))
          .isInstanceOf(JoinResult.JoinedMeeting.class);
    }
  }

  @Test
  void theWholeDomainIsOneCall() {
    assertThat(daily.presence())
        .isInstanceOfSatisfying(
            DomainPresence.DomainPresenceKnown.class,
            domainPresenceKnown -> {
              assertThat(domainPresenceKnown.in("standup")).hasSize(2);
              assertThat(domainPresenceKnown.in("nowhere")).isEmpty();
            });
  }

  @Test
  void a429FreezesTheRateLimiterForItsRetryAfter() {
    sim.faults().set(FaultKind.API_429, FaultSetting.ALWAYS.lasting(Duration.ofSeconds(7)));
    assertThat(cause(daily.presence("standup"))).isEqualTo(PlatformErrorKind.RATE_LIMITED);
    assertThat(frozen).singleElement().satisfies(it -> assertThat(it).isPositive());
  }

  @Test
  void faultsAreValues() {
    sim.faults().set(FaultKind.API_500, FaultSetting.ALWAYS.times(1));
    assertThat(cause(daily.presence("standup"))).isEqualTo(PlatformErrorKind.SERVER_ERROR);
    assertThat(cause(client(sim.apiUrl(), "wrong").presence("standup")))
        .isEqualTo(PlatformErrorKind.REFUSED);
    assertThat(cause(client(URI.create("http://127.0.0.1:1/v1"), "k").presence("standup")))
        .isEqualTo(PlatformErrorKind.UNREACHABLE);
  }

  /** Where a bot is to go may be told later; it was not the user who left it out. */
  @Test
  void anAddressThatIsNotToldIsUnknown() {
    assertThat(daily.roomAddress("standup"))
        .isEqualTo(new RoomAddress.RoomPage(sim.roomUrl("standup").toString()));
    assertThat(daily.roomAddress("nowhere")).isEqualTo(RoomAddress.none());
    assertThat(client(sim.apiUrl(), "wrong").roomAddress("standup")).isEqualTo(RoomAddress.none());
    sim.faults().set(FaultKind.API_500, FaultSetting.ALWAYS.times(1));
    assertThat(daily.roomAddress("standup")).isInstanceOf(RoomAddress.RoomAddressUnknown.class);
    URI away = URI.create("http://127.0.0.1:1/v1");
    assertThat(client(away, "k").roomAddress("standup"))
        .isInstanceOf(RoomAddress.RoomAddressUnknown.class);
    assertThat(client(away, "").roomAddress("standup"))
        .as("without an account no room is asked for")
        .isEqualTo(RoomAddress.none());
  }

  @Test
  void aPlatformThatDoesNotAnswerIsNotAskedForEachAddress() {
    AtomicInteger calls = new AtomicInteger();
    RateLimiter counting =
        new RateLimiter() {
          @Override
          public Optional<Duration> tryAcquire() {
            int _ = calls.incrementAndGet();
            return Optional.empty();
          }

          @Override
          public void freeze(Duration duration) {}
        };
    DailyClient away =
        new DailyClient(
            new DailyConfig(URI.create("http://127.0.0.1:1/v1"), "k", Duration.ofSeconds(2)),
            counting,
            InstantSource.system());
    for (String room : List.of("standup", "retro", "standup")) {
      assertThat(away.roomAddress(room)).isInstanceOf(RoomAddress.RoomAddressUnknown.class);
    }
    assertThat(calls).hasValue(1);
  }

  @Test
  void anAnswerThatDoesNotComeIsATimeout() {
    sim.faults().set(FaultKind.API_SLOW, FaultSetting.ALWAYS.lasting(Duration.ofMinutes(1)));
    DailyClient impatient =
        new DailyClient(
            new DailyConfig(sim.apiUrl(), sim.apiKey(), Duration.ofMillis(200)),
            RateLimiter.unlimited(),
            InstantSource.system());
    // The length of the fault is random; in a few calls one exceeds the timeout.
    assertThat(
            List.of(impatient.presence("standup"), impatient.presence("standup")).stream()
                .filter(RoomPresence.RoomPresenceUnknown.class::isInstance)
                .map(DailyClientTest::cause))
        .contains(PlatformErrorKind.TIMEOUT);
  }

  @Test
  void aRoomsMeetingGoesOnOrEndedOrNeverWas() {
    var _ = sim.world().create(RoomRequest.named("quiet"));
    assertThat(daily.activity("standup")).isInstanceOf(RoomActivity.RoomMeetingOngoing.class);
    assertThat(daily.activity("quiet")).isInstanceOf(RoomActivity.RoomNeverUsed.class);
    assertThat(sim.world().endMeeting("standup")).isTrue();
    assertThat(daily.activity("standup")).isInstanceOf(RoomActivity.RoomMeetingEnded.class);
  }

  /** Visits of a few seconds are in no list, which is a 404 as well. */
  @Test
  void attendanceWithoutAListIsThatOfTheMeetingItself() {
    assertThat(sim.world().endMeeting("standup")).isTrue();
    String session =
        daily.activity("standup") instanceof RoomActivity.RoomMeetingEnded ended
            ? ended.session()
            : "";
    sim.faults().set(FaultKind.API_404, FaultSetting.ALWAYS);
    assertThat(daily.attendance(session)).isInstanceOf(MeetingAttendance.AttendanceUnknown.class);
    sim.faults().set(FaultKind.API_404, FaultSetting.NEVER);
    assertThat(daily.attendance(session))
        .isEqualTo(new MeetingAttendance.AttendanceKnown(List.of()));
  }

  @Test
  void theKeyIsInNoText() {
    assertThat(new DailyConfig(sim.apiUrl(), "top-secret", Duration.ofSeconds(1)).toString())
        .doesNotContain("top-secret");
  }
}
