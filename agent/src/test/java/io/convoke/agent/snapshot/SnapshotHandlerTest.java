package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.pod.FakeTaskRun;
import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.json.Json;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.SimulationEvent;
import io.convoke.simulator.state.Visitor;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.node.ObjectNode;

/** Pictures of simulated meetings, looked at: who is on them, and who speaks. */
@Timeout(60)
class SnapshotHandlerTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  /** A picture and its name. */
  private record Kept(String name, ImageInspector picture) {}

  private final TestSignal<Kept> testSignal = new TestSignal<>();
  private final TestSignal.SignalObservation<Kept> kept = testSignal.observe();
  private final Simulator sim = Simulator.start(SimulatorConfig.defaults());

  @AfterEach
  void close() {
    sim.close();
  }

  @Test
  void thereIsOneAtOnceAndOneAtEachIntervalOfWhatThereIsToSee() throws Exception {
    room("alpha", "public", new Lobby.OpenLobby());
    String ada = join("ada");
    FakeTaskRun task = task("alpha", "{\"interval_in_ms\": 1000, \"layout\": \"flat\"}");
    CompletableFuture<AttemptOutcome> outcome = start(task);

    Kept first = kept.await(SOON);
    assertThat(first.name()).isEqualTo("snapshots/t-1/t-1-2-000001.png");
    ImageInspector alone = first.picture();
    assertThat(alone.tile(TileLayout.FLAT.places(1, 1280, 720).getFirst()))
        .isEqualTo(SnapshotRenderer.colour("ada"));

    String _ = join("bob");
    assertThat(sim.world().say("alpha", ada, "hello")).isTrue();
    var places = TileLayout.FLAT.places(2, 1280, 720);
    ImageInspector both =
        kept.await(
                each -> each.picture().tile(places.get(1)).equals(SnapshotRenderer.colour("bob")),
                SOON)
            .picture();
    assertThat(both.tile(places.get(0))).isEqualTo(SnapshotRenderer.colour("ada"));
    assertThat(both.framed(places.get(0))).as("Ada speaks").isTrue();
    assertThat(both.framed(places.get(1))).as("Bob does not").isFalse();

    task.stop();
    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new AttemptOutcome.AttemptDone());
    assertThat(present()).as("we have left").containsExactly("ada", "bob");
  }

  @Test
  void aSpotlightShowsTheLastSpeakerLarge() throws Exception {
    room("alpha", "public", new Lobby.OpenLobby());
    String _ = join("ada");
    String bob = join("bob");
    FakeTaskRun task = task("alpha", "{\"interval_in_ms\": 1000, \"layout\": \"spotlight\"}");
    CompletableFuture<AttemptOutcome> outcome = start(task);
    var places = TileLayout.SPOTLIGHT.places(2, 1280, 720);
    ImageInspector before = kept.await(SOON).picture();
    assertThat(before.tile(places.get(0))).isEqualTo(SnapshotRenderer.colour("ada"));
    assertThat(sim.world().say("alpha", bob, "my turn")).isTrue();
    Kept _ =
        kept.await(
            each -> each.picture().tile(places.get(0)).equals(SnapshotRenderer.colour("bob")),
            SOON);
    task.stop();
    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new AttemptOutcome.AttemptDone());
  }

  @Test
  void onlyThoseWhoWereAskedForAreShown() throws Exception {
    room("alpha", "public", new Lobby.OpenLobby());
    String _ = join("ada");
    String _ = join("bob");
    FakeTaskRun task = task("alpha", "{\"uid\": [\"bob\", \"nobody\"]}");
    CompletableFuture<AttemptOutcome> outcome = start(task);
    ImageInspector picture = kept.await(SOON).picture();
    assertThat(picture.tile(TileLayout.FLAT.places(1, 1280, 720).getFirst()))
        .isEqualTo(SnapshotRenderer.colour("bob"));
    task.stop();
    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new AttemptOutcome.AttemptDone());
  }

  @Test
  void itEndsWithTheMeeting() throws Exception {
    room("alpha", "public", new Lobby.OpenLobby());
    String _ = join("ada");
    CompletableFuture<AttemptOutcome> outcome = start(task("alpha", "{}"));
    Kept _ = kept.await(SOON);
    assertThat(sim.world().endMeeting("alpha")).isTrue();
    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new AttemptOutcome.AttemptDone());
  }

  @Test
  void itEndsWhenAllOthersHaveLeft() throws Exception {
    room("alpha", "public", new Lobby.OpenLobby());
    String ada = join("ada");
    CompletableFuture<AttemptOutcome> outcome = start(task("alpha", "{}"));
    Kept _ = kept.await(SOON);
    assertThat(sim.world().leave("alpha", ada, LeaveReason.LEFT)).isTrue();
    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new AttemptOutcome.AttemptDone());
    assertThat(present()).isEmpty();
  }

  @Test
  void aRoomThatIsNotThereIsSaidSo() throws Exception {
    assertThat(start(task("nowhere", "{}")).get(20, TimeUnit.SECONDS))
        .isEqualTo(new AttemptOutcome.AttemptFailed("there is no room named nowhere"));
    assertThat(start(task("..", "{}")).get(20, TimeUnit.SECONDS))
        .isEqualTo(new AttemptOutcome.AttemptFailed("there is no room named .."));
  }

  @Test
  void aPrivateRoomAsksForATokenAndARefusedOneIsForGood() throws Exception {
    room("secret", "private", new Lobby.OpenLobby());
    assertThat(start(task("secret", "{}")).get(20, TimeUnit.SECONDS))
        .isEqualTo(new AttemptOutcome.AttemptFailed("the room secret asks for an access token"));
    assertThat(start(task("secret", "{\"access_token\": \"wrong\"}")).get(20, TimeUnit.SECONDS))
        .isEqualTo(new AttemptOutcome.AttemptFailed("the room secret refuses the access token"));
  }

  @Test
  void aDoorThatIsShutIsSaidSo() throws Exception {
    room("alpha", "public", new Lobby.DenyAfter(Duration.ofMillis(100)));
    assertThat(start(task("alpha", "{}")).get(20, TimeUnit.SECONDS))
        .isEqualTo(new AttemptOutcome.AttemptFailed("the room did not let us in"));
  }

  @Test
  void aStopInTheLobbyIsAnEnd() throws Exception {
    room("alpha", "public", new Lobby.ClosedLobby());
    CountDownLatch arrived = new CountDownLatch(1);
    sim.world()
        .subscribe(
            event -> {
              if (event instanceof SimulationEvent.LobbyEntered) {
                arrived.countDown();
              }
            });
    FakeTaskRun task = task("alpha", "{}");
    CompletableFuture<AttemptOutcome> outcome = start(task);
    assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();
    task.stop();
    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new AttemptOutcome.AttemptDone());
    assertThat(sim.world().roomViews("alpha").orElseThrow().waiting()).isEmpty();
  }

  @Test
  void aPlatformThatIsAwayIsTriedAgainLater() throws Exception {
    SnapshotHandler lost =
        new SnapshotHandler(config(URI.create("http://127.0.0.1:9/rooms")), this::keep);
    assertThat(lost.run(task("alpha", "{}").context()))
        .isEqualTo(new AttemptOutcome.AttemptRetry("the platform is unreachable"));
  }

  @Test
  void anIdThatIsUsedAgainKeepsThePicturesOfTheFormerTask() throws Exception {
    room("alpha", "public", new Lobby.OpenLobby());
    String _ = join("ada");
    FakeTaskRun task = task("alpha", "{}");
    SnapshotHandler handler =
        new SnapshotHandler(
            config(sim.url().resolve("/rooms")),
            (name, png) -> {
              if (name.text().endsWith("-000001.png")) {
                throw new FileAlreadyExistsException(name.text());
              }
              keep(name, png);
            });
    CompletableFuture<AttemptOutcome> outcome = start(handler, task);
    assertThat(kept.await(SOON).name()).matches("snapshots/t-1/t-1-2-000001-\\d+\\.png");
    task.stop();
    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new AttemptOutcome.AttemptDone());
  }

  @Test
  void aPictureThatIsNotStoredIsTriedAgainLater() throws Exception {
    room("alpha", "public", new Lobby.OpenLobby());
    SnapshotHandler away =
        new SnapshotHandler(
            config(sim.url().resolve("/rooms")),
            (name, png) -> {
              throw new IOException("the store is away");
            });
    assertThat(away.run(task("alpha", "{}").context()))
        .isEqualTo(
            new AttemptOutcome.AttemptRetry(
                "a picture cannot be stored: java.io.IOException: the store is away"));
  }

  private void keep(BlobKey name, byte[] png) {
    testSignal.emit(new Kept(name.text(), new ImageInspector(png)));
  }

  private CompletableFuture<AttemptOutcome> start(FakeTaskRun task) {
    return start(new SnapshotHandler(config(sim.url().resolve("/rooms")), this::keep), task);
  }

  private static CompletableFuture<AttemptOutcome> start(
      SnapshotHandler handler, FakeTaskRun task) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return handler.run(task.context());
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        },
        Thread::startVirtualThread);
  }

  private static SnapshotConfig config(URI rooms) {
    return new SnapshotConfig(
        rooms, Duration.ofSeconds(1), Duration.ofMinutes(5), Duration.ofMillis(300));
  }

  private static FakeTaskRun task(String channel, String payload) {
    ObjectNode task = Json.mapper().createObjectNode();
    task.put("id", "t-1").put("type", "snapshot").put("channel", channel).put("attempt", 2);
    var _ = task.set("payload", Json.read(payload));
    return new FakeTaskRun(task);
  }

  private void room(String name, String privacy, Lobby lobby) {
    assertThat(sim.world().create(new RoomRequest(name, privacy, false, Map.of(), lobby)))
        .isPresent();
  }

  private String join(String user) {
    JoinResult result = sim.world().join("alpha", Visitor.named(user).withUserId(user));
    assertThat(result).isInstanceOf(JoinResult.JoinedMeeting.class);
    return ((JoinResult.JoinedMeeting) result).session().sessionId();
  }

  private List<String> present() {
    return sim.world().roomViews("alpha").orElseThrow().present().stream()
        .map(roomSession -> roomSession.visitor().userId().orElse("?"))
        .toList();
  }
}
