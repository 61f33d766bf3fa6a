package io.convoke.agent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The reference bot in simulated rooms: in, listening, out. */
class ReferenceBotTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final AutomaticLeave PATIENT = new AutomaticLeave(LONG, LONG, LONG);

  private final FakeControlPlane plane = new FakeControlPlane();
  private final TestSignal.SignalObservation<FakeControlPlane.Call> heard = plane.heard.observe();
  private final Simulator sim = Simulator.start(SimulatorConfig.defaults());

  @AfterEach
  void close() {
    plane.close();
    sim.close();
  }

  /** What answers as a room must not make a bot of ours talk to others in our network. */
  @Test
  void itFollowsNoAddressOfAnotherHost() throws Exception {
    CountDownLatch elsewhere = new CountDownLatch(1);
    HttpServer other = server(exchange -> elsewhere.countDown());
    HttpServer room =
        server(
            exchange -> {
              String to = "http://127.0.0.1:" + other.getAddress().getPort();
              answer(exchange, to);
            });
    try {
      String url = "http://127.0.0.1:" + room.getAddress().getPort() + "/rooms/standup";
      ExitCode end = code(live(url, PATIENT));
      assertThat(end).isEqualTo(ExitCode.PLATFORM_GONE);
      assertThat(elsewhere.getCount()).isEqualTo(1);
    } finally {
      room.stop(0);
      other.stop(0);
    }
  }

  /** Answers a join with a place whose addresses are of this host. */
  private static void answer(HttpExchange exchange, String host) throws IOException {
    byte[] answer =
        """
        {"session_id":"s","state":"in_meeting","events_url":"%s/events",
         "say_url":"%s/say","leave_url":"%s/leave"}
        """
            .formatted(host, host, host)
            .getBytes(UTF_8);
    exchange.sendResponseHeaders(200, answer.length);
    exchange.getResponseBody().write(answer);
  }

  private static HttpServer server(HttpHandler handler) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    var _ =
        server.createContext(
            "/",
            exchange -> {
              try (exchange) {
                handler.handle(exchange);
              }
            });
    server.start();
    return server;
  }

  @Test
  void itHearsWhatIsSaidAndLeavesWhenItIsAsked() throws Exception {
    room(new Lobby.OpenLobby());
    String ada = join("Ada");
    CompletableFuture<ExitCode> life = live(PATIENT);
    await("joined");
    awaitInside();
    assertThat(sim.world().say("standup", ada, "Good morning everybody")).isTrue();
    FakeControlPlane.Call said = await("transcript");
    assertThat(said.body().path("segments").findValuesAsString("text"))
        .containsExactly("Good morning everybody");
    assertThat(said.body().path("segments").findValuesAsString("speaker")).containsExactly("Ada");
    assertThat(said.body().path("segments").findValuesAsString("language")).containsExactly("en");

    plane.command("r1", "reconfigure", Map.of("language", "fr"));
    await("ack");
    assertThat(sim.world().say("standup", ada, "Bonjour")).isTrue();
    assertThat(await("transcript").body().path("segments").findValuesAsString("language"))
        .containsExactly("fr");

    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(names()).containsExactly("Ada");
  }

  /** The session begins when a server takes the start, which may be long after the process's. */
  @Test
  void itTellsTimesOfItsSession() throws Exception {
    AtomicInteger refusals = new AtomicInteger(Integer.MAX_VALUE);
    plane.failuresOf.put("started", refusals);
    room(new Lobby.OpenLobby());
    String ada = join("Ada");
    CompletableFuture<ExitCode> life = live(PATIENT);
    while (refusals.get() > Integer.MAX_VALUE - 100) {
      LockSupport.parkNanos(10_000_000);
    }
    long before = System.nanoTime();
    refusals.set(0);
    await("joined");
    awaitInside();
    assertThat(sim.world().say("standup", ada, "Good morning")).isTrue();
    JsonNode said = await("transcript").body().path("segments").path(0);
    assertThat(said.path("start").asDouble()).isLessThan((System.nanoTime() - before) / 1e9 + 0.1);
    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
  }

  @Test
  void itReportsWhoIsThereWhoComesAndWhoGoes() throws Exception {
    room(new Lobby.OpenLobby());
    String ada = join("Ada");
    CompletableFuture<ExitCode> life = live(PATIENT);
    FakeControlPlane.Call all = await("participants");
    assertThat(all.body().path("everybody").path("participants").findValuesAsString("user_name"))
        .containsExactlyInAnyOrder("Ada", "Scribe");

    String bob = join("Bob");
    JsonNode came = await("participants").body().path("events").path(0);
    assertThat(came.path("type").asString()).isEqualTo("joined");
    assertThat(came.path("session_id").asString()).isEqualTo(bob);
    assertThat(came.path("user_name").asString()).isEqualTo("Bob");

    assertThat(sim.world().leave("standup", ada, LeaveReason.LEFT)).isTrue();
    JsonNode went = await("participants").body().path("events").path(0);
    assertThat(went.path("type").asString()).isEqualTo("left");
    assertThat(went.path("session_id").asString()).isEqualTo(ada);
    assertThat(went.path("joined_at").asString()).isNotEmpty();
    assertThat(went.path("id").asString()).isNotEqualTo(came.path("id").asString());

    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
  }

  @Test
  void itWaitsInTheLobbyUntilItIsLetIn() throws Exception {
    room(new Lobby.ClosedLobby());
    CompletableFuture<ExitCode> life = live(PATIENT);
    awaitWaiting();
    assertThat(plane.names()).doesNotContain("joined");
    String waiting = waiting().getFirst();
    assertThat(sim.world().decide("standup", waiting, true)).isTrue();
    await("joined");
    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
  }

  @Test
  void itGivesUpAtADoorThatStaysShutOrIsShut() throws Exception {
    room(new Lobby.ClosedLobby());
    AutomaticLeave soon = new AutomaticLeave(Duration.ofMillis(300), LONG, LONG);
    assertEnd(live(soon), ExitCode.NOT_ADMITTED, "waiting_room_timeout");
    assertThat(waiting()).as("the knock is taken back").isEmpty();
    CompletableFuture<ExitCode> denied = live(PATIENT);
    awaitWaiting();
    assertThat(sim.world().decide("standup", waiting().getFirst(), false)).isTrue();
    assertEnd(denied, ExitCode.NOT_ADMITTED, "admission_denied");
  }

  @Test
  void itTakesBackItsKnockWhenItIsStoppedInTheLobby() throws Exception {
    room(new Lobby.ClosedLobby());
    CompletableFuture<ExitCode> life = live(PATIENT);
    awaitWaiting();
    plane.command("c1", "leave", Map.of());
    assertEnd(life, ExitCode.LEFT, "stopped");
    assertThat(waiting()).isEmpty();
  }

  /** The platform has let it in already; the answer alone comes late. */
  @Test
  void itGivesAPlaceBackThatIsAnsweredWhenItIsStopped() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    CompletableFuture<String> left = new CompletableFuture<>();
    HttpServer room =
        server(
            exchange -> {
              String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
              if (exchange.getRequestURI().getPath().equals("/leave")) {
                boolean _ = left.complete(body);
              } else {
                asked.countDown();
                await(stopped);
              }
              String here = "http://127.0.0.1:" + exchange.getLocalAddress().getPort();
              answer(exchange, here);
            });
    ReferenceBot bot = new ReferenceBot();
    BotRunner session = runner(bot, "http://127.0.0.1:" + room.getAddress().getPort(), PATIENT);
    try {
      FutureTask<Void> joining = task(() -> bot.join(session));
      Thread life = Thread.ofVirtual().start(joining);
      await(asked);
      life.interrupt();
      assertThatThrownBy(joining::get).hasCauseInstanceOf(InterruptedException.class);
      FutureTask<Void> leaving = task(() -> bot.leave(session));
      Thread _ = Thread.ofVirtual().start(leaving);
      stopped.countDown();
      leaving.get(SOON.toSeconds(), TimeUnit.SECONDS);
      assertThat(left).isCompletedWithValue("{\"session_id\":\"s\"}");
    } finally {
      stopped.countDown();
      room.stop(0);
    }
  }

  private interface Step {
    void take() throws Exception;
  }

  private static FutureTask<Void> task(Step step) {
    return new FutureTask<>(
        () -> {
          step.take();
          return null;
        });
  }

  @Test
  void itLeavesARoomThatStaysEmpty() throws Exception {
    room(new Lobby.OpenLobby());
    AutomaticLeave soon = new AutomaticLeave(LONG, Duration.ofMillis(300), LONG);
    assertEnd(live(soon), ExitCode.LEFT, "no_one_joined");
  }

  @Test
  void itLeavesWhenAllOthersHaveLeft() throws Exception {
    room(new Lobby.OpenLobby());
    String ada = join("Ada");
    CompletableFuture<ExitCode> life = live(new AutomaticLeave(LONG, LONG, Duration.ofMillis(300)));
    await("joined");
    awaitInside();
    assertThat(sim.world().leave("standup", ada, LeaveReason.LEFT)).isTrue();
    assertEnd(life, ExitCode.LEFT, "everyone_left");
  }

  @Test
  void itSaysHowAMeetingEnded() throws Exception {
    room(new Lobby.OpenLobby());
    join("Ada");
    CompletableFuture<ExitCode> life = live(PATIENT);
    await("joined");
    awaitInside();
    assertThat(sim.world().endMeeting("standup")).isTrue();
    assertEnd(life, ExitCode.LEFT, "meeting_ended");
  }

  @Test
  void itSaysThatThereIsNoSuchMeeting() throws Exception {
    assertEnd(live(PATIENT), ExitCode.NO_MEETING, "meeting_not_found");
  }

  private void room(Lobby lobby) {
    assertThat(sim.world().create(new RoomRequest("standup", "public", false, Map.of(), lobby)))
        .isPresent();
  }

  private String join(String name) {
    JoinResult result = sim.world().join("standup", Visitor.named(name));
    assertThat(result).isInstanceOf(JoinResult.JoinedMeeting.class);
    return ((JoinResult.JoinedMeeting) result).session().sessionId();
  }

  private CompletableFuture<ExitCode> live(AutomaticLeave leave) {
    return live(sim.roomUrl("standup").toString(), leave);
  }

  private BotRunner runner(ReferenceBot bot, String url, AutomaticLeave leave) {
    return new BotRunner(
        plane.config(Optional.of(url), Optional.empty(), leave),
        bot,
        new RetryPolicy(Duration.ofMillis(5), Duration.ofMillis(20), SOON));
  }

  private CompletableFuture<ExitCode> live(String url, AutomaticLeave leave) {
    BotRunner runner = runner(new ReferenceBot(), url, leave);
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return runner.run();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private void assertEnd(CompletableFuture<ExitCode> life, ExitCode code, String reason)
      throws Exception {
    assertThat(code(life)).isEqualTo(code);
    FakeControlPlane.Call exited = plane.last("exited").orElseThrow();
    assertThat(exited.body().path("reason").asString()).isEqualTo(reason);
    assertThat(exited.body().path("exit_code").asInt()).isEqualTo(code.code());
  }

  private static ExitCode code(CompletableFuture<ExitCode> life) throws Exception {
    return life.get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private FakeControlPlane.Call await(String name) {
    return heard.await(call -> call.name().equals(name), SOON);
  }

  private List<String> names() {
    return sim.world().observe("standup", seen -> {}).orElseThrow().present().stream()
        .map(roomSession -> roomSession.visitor().userName().orElse(""))
        .toList();
  }

  private List<String> waiting() {
    return List.copyOf(sim.world().observe("standup", seen -> {}).orElseThrow().waiting());
  }

  /** The bot's own heartbeat after it joined: by then its stream has been opened. */
  private void awaitInside() {
    for (int i = 0; i < 4; i++) {
      await("heartbeat");
    }
  }

  private void awaitWaiting() {
    long deadline = System.nanoTime() + SOON.toNanos();
    while (waiting().isEmpty()) {
      assertThat(System.nanoTime() - deadline).isNegative();
      LockSupport.parkNanos(10_000_000);
    }
  }
}
