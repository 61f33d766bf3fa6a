package io.convoke.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The SDK against a control plane that fails, repeats and goes away (F-11, F-12). */
class BotRunnerTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final RetryPolicy PATIENT =
      new RetryPolicy(Duration.ofMillis(5), Duration.ofMillis(20), SOON);

  private final FakeControlPlane plane = new FakeControlPlane();
  private final TestSignal.SignalObservation<FakeControlPlane.Call> heard = plane.heard.observe();

  @AfterEach
  void close() {
    plane.close();
  }

  @Test
  void aWholeLifeIsReportedInOrder() throws Exception {
    CompletableFuture<ExitCode> life = live(PATIENT, Optional.empty());
    await("joined");
    await("transcript");
    await("heartbeat");
    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(plane.names()).startsWith("started", "joined").endsWith("exited");
    assertThat(plane.names())
        .containsSubsequence("started", "joined", "heartbeat", "status", "exited");
    assertThat(plane.names()).contains("ack");
    FakeControlPlane.Call exited = plane.last("exited").orElseThrow();
    assertThat(exited.body().path("exit_code").asInt()).isZero();
    assertThat(exited.body().path("reason").asString()).isEqualTo("stopped");
    assertThat(exited.authorization()).isEqualTo("Bearer the-token");
    assertThat(
            plane
                .last("transcript")
                .orElseThrow()
                .body()
                .path("segments")
                .findValuesAsString("text"))
        .containsExactly("Good morning");
  }

  @Test
  void callbacksAreRetriedUntilTheControlPlaneReplies() throws Exception {
    plane.failuresToCome.set(15);
    CompletableFuture<ExitCode> life = live(PATIENT, Optional.empty());
    await("joined");
    plane.failuresToCome.set(8);
    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(plane.last("exited")).isPresent();
  }

  @Test
  void aBotWhoseLaunchIsOverLeavesWithoutReporting() throws Exception {
    CompletableFuture<ExitCode> life = live(PATIENT, Optional.empty());
    await("joined");
    plane.answer = 410;
    assertThat(code(life)).isEqualTo(ExitCode.TOLD_TO_GO);
    assertThat(plane.names()).doesNotContain("exited");
  }

  @Tag("nightly")
  @Test
  void aBotLeavesAMeetingWhenTheControlPlaneIsLostForGood() throws Exception {
    RetryPolicy impatient =
        new RetryPolicy(Duration.ofMillis(5), Duration.ofMillis(20), Duration.ofMillis(500));
    CompletableFuture<ExitCode> life = live(impatient, Optional.empty());
    await("joined");
    plane.close();
    assertThat(code(life)).isEqualTo(ExitCode.CONTROL_PLANE_LOST);
  }

  @Tag("nightly")
  @Test
  void whatWasReportedWhileTheControlPlaneWasAwayIsSentBeforeTheGoodbye() throws Exception {
    List<TranscriptSegment> segments =
        IntStream.range(0, 250)
            .mapToObj(
                i ->
                    new TranscriptSegment(
                        i, i + 1, "word " + i, Optional.empty(), Optional.empty()))
            .toList();
    Bot bot =
        new BriefBot() {
          @Override
          public void join(BotSession botSession) {
            // Some four seconds of failures: longer than any step of a bot that leaves.
            for (String name : List.of("transcript", "chat", "participants")) {
              plane.failuresOf.put(name, new AtomicInteger(100));
            }
          }

          @Override
          public String stay(BotSession botSession) {
            botSession.transcript(segments);
            botSession.chatted(new ChatMessage("m1", Optional.empty(), "Bye", Instant.EPOCH));
            botSession.saw(new ParticipantEvent.ParticipantLeft("ada", Instant.EPOCH));
            return "meeting_ended";
          }
        };
    RetryPolicy steady = new RetryPolicy(Duration.ofMillis(50), Duration.ofMillis(50), SOON);
    BotRunner runner = runner(bot, steady, Optional.empty());
    CompletableFuture<ExitCode> life = CompletableFuture.supplyAsync(() -> run(runner));
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(plane.names()).contains("chat", "participants").endsWith("exited");
    assertThat(reported("transcript", "segments", "text"))
        .containsExactlyElementsOf(segments.stream().map(TranscriptSegment::text).toList());
  }

  @Test
  void whatABotStillMakesOfTheMeetingAfterItHasLeftIsSentBeforeTheGoodbye() throws Exception {
    CompletableFuture<Duration> time = new CompletableFuture<>();
    Bot bot =
        new BriefBot() {
          @Override
          public void finish(BotSession botSession, Duration atMost) {
            boolean _ = time.complete(atMost);
            botSession.transcript(List.of(said("Ada", "the last words")));
          }
        };
    BotRunner runner = runner(bot, PATIENT, Optional.empty());
    CompletableFuture<ExitCode> life = CompletableFuture.supplyAsync(() -> run(runner));
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(time).isCompletedWithValue(SOON);
    assertThat(reported("transcript", "segments", "text")).containsExactly("the last words");
    assertThat(plane.names()).endsWith("exited");
  }

  @Test
  void aBotThatIsTerminatedWhileItLeavesHasSecondsToFinish() throws Exception {
    CompletableFuture<Duration> time = new CompletableFuture<>();
    Bot bot =
        new BriefBot() {
          @Override
          public void leave(BotSession botSession) {
            ((BotRunner) botSession).terminate();
          }

          @Override
          public void finish(BotSession botSession, Duration atMost) {
            boolean _ = time.complete(atMost);
          }
        };
    BotRunner runner = runner(bot, PATIENT, Optional.empty());
    CompletableFuture<ExitCode> life = CompletableFuture.supplyAsync(() -> run(runner));
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(time).isCompletedWithValue(Duration.ofSeconds(3));
  }

  @Test
  void theHeartbeatsOfAFailedBotGoOnUntilItHasFinishedOrIsTerminated() throws Exception {
    CountDownLatch alive = new CountDownLatch(1);
    Bot bot =
        new BriefBot() {
          @Override
          public String stay(BotSession botSession) throws BotFailure {
            throw new BotFailure(ExitCode.PLATFORM_GONE, "platform_gone");
          }

          @Override
          public void finish(BotSession botSession, Duration atMost) throws Exception {
            await("heartbeat");
            await("heartbeat");
            alive.countDown();
            new CountDownLatch(1).await();
          }
        };
    BotRunner runner = runner(bot, PATIENT, Optional.empty());
    CompletableFuture<ExitCode> life = CompletableFuture.supplyAsync(() -> run(runner));
    assertThat(alive.await(20, TimeUnit.SECONDS)).as("two while it finished").isTrue();
    runner.terminate();
    assertThat(code(life)).isEqualTo(ExitCode.PLATFORM_GONE);
    assertThat(plane.names()).doesNotContain("status").endsWith("exited");
  }

  @Test
  void aBotWhoseStartOrAdmissionIsNeverTakenLeaves() throws Exception {
    RetryPolicy impatient =
        new RetryPolicy(Duration.ofMillis(5), Duration.ofMillis(20), Duration.ofMillis(300));
    for (String name : List.of("started", "joined")) {
      plane.failuresOf.put(name, new AtomicInteger(Integer.MAX_VALUE));
      BotRunner runner = runner(new FailingBot(() -> "meeting_ended"), impatient, Optional.empty());
      CompletableFuture<ExitCode> life = CompletableFuture.supplyAsync(() -> run(runner));
      assertThat(code(life)).as(name).isEqualTo(ExitCode.CONTROL_PLANE_LOST);
      assertThat(plane.last("exited").orElseThrow().body().path("reason").asString())
          .isEqualTo("control_plane_lost");
      plane.failuresOf.clear();
    }
  }

  @Test
  void manyLongWordsAreSentInCallsThatTheControlPlaneTakes() throws Exception {
    TranscriptSegment longest = said("Ada", "\ud83d\ude00".repeat(4096));
    Bot bot =
        new FailingBot(
            () -> {
              throw new BotFailure(ExitCode.PLATFORM_GONE, "platform_gone");
            });
    BotRunner runner = runner(bot, PATIENT, Optional.empty());
    runner.transcript(Collections.nCopies(100, longest));
    CompletableFuture<ExitCode> life = CompletableFuture.supplyAsync(() -> run(runner));
    assertThat(code(life)).isEqualTo(ExitCode.PLATFORM_GONE);
    assertThat(reported("transcript", "segments", "text")).hasSize(100);
    assertThat(plane.calls)
        .extracting(call -> Json.bytes(call.body()).length)
        .allMatch(bytes -> bytes < 600_000);
  }

  @Test
  void whatIsOddAboutOnePersonDoesNotStopTheReportsAboutTheOthers() throws Exception {
    String oddName = "A\tda\ud83d";
    Attendee ada =
        new Attendee("s\n1", Optional.of("u".repeat(300)), Optional.of(oddName), Instant.EPOCH);
    Attendee bob = new Attendee("s2", Optional.of("\u0000"), Optional.of("Bob"), Instant.EPOCH);
    Bot bot =
        new BriefBot() {
          @Override
          public void join(BotSession botSession) {}

          @Override
          public String stay(BotSession botSession) {
            botSession.saw(new ParticipantEvent.ParticipantJoined(ada));
            botSession.saw(new ParticipantEvent.ParticipantJoined(bob));
            botSession.saw(new ParticipantEvent.ParticipantLeft(ada.sessionId(), Instant.EPOCH));
            botSession.saw(new ParticipantEvent.ParticipantLeft("s\ud83d3", Instant.EPOCH));
            botSession.saw(
                new ParticipantEvent.ParticipantSnapshot(List.of(ada, bob), Instant.EPOCH));
            botSession.transcript(
                List.of(
                    said(oddName, "\ud83d" + "x".repeat(5000)),
                    said("Bob", "\u0000\ud83d"),
                    said("\n", "Good morning"),
                    said("Bob", "Hello")));
            botSession.chatted(new ChatMessage("c1", Optional.of("Bob"), "\u0000", Instant.EPOCH));
            botSession.chatted(new ChatMessage("c2", Optional.of("Bob"), "Hello", Instant.EPOCH));
            return "meeting_ended";
          }
        };
    BotRunner runner = runner(bot, PATIENT, Optional.empty());
    CompletableFuture<ExitCode> life = CompletableFuture.supplyAsync(() -> run(runner));
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(reported("participants", "events", "session_id"))
        .containsExactly("s 1", "s2", "s 1", "s3");
    assertThat(reported("participants", "events", "user_name"))
        .containsExactly("A da", "Bob", "A da");
    assertThat(reported("participants", "events", "user_id"))
        .containsExactly("u".repeat(255), "u".repeat(255));
    JsonNode all = plane.last("participants").orElseThrow().body().path("everybody");
    assertThat(all.path("participants").findValuesAsString("session_id"))
        .containsExactly("s 1", "s2");
    assertThat(all.path("participants").findValuesAsString("user_name"))
        .containsExactly("A da", "Bob");
    assertThat(reported("transcript", "segments", "text"))
        .containsExactly("x".repeat(4096), "Good morning", "Hello");
    assertThat(reported("transcript", "segments", "speaker")).containsExactly("A da", "Bob");
    assertThat(reported("chat", "messages", "text")).containsExactly("Hello");
  }

  private static TranscriptSegment said(String speaker, String text) {
    return new TranscriptSegment(0, 1, text, Optional.of(speaker), Optional.empty());
  }

  @Test
  void aTerminatedBotSaysGoodbye() throws Exception {
    BotRunner runner = runner(PATIENT, Optional.empty());
    CompletableFuture<ExitCode> life = CompletableFuture.supplyAsync(() -> run(runner));
    await("joined");
    runner.terminate();
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(plane.last("exited").orElseThrow().body().path("reason").asString())
        .isEqualTo("terminated");
  }

  @Test
  void aCommandThatComesByBothWaysIsObeyedOnce() throws Exception {
    LocalStores localStores = LocalStores.forTests();
    try (Redis redis = Redis.open(localStores.redis().url())) {
      CompletableFuture<ExitCode> life = live(PATIENT, Optional.of(localStores.redis().url()));
      await("joined");
      Map<String, Object> change = Map.of("id", "r1", "action", "reconfigure", "task", "end");
      long listeners = 0;
      while (listeners == 0) {
        listeners =
            redis.call(
                commands ->
                    commands.publish(
                        "bot_commands:0123abcd-0000-0000-0000-000000000042", Json.write(change)));
        LockSupport.parkNanos(10_000_000);
      }
      assertThat(code(life)).isEqualTo(ExitCode.LEFT);
      assertThat(plane.last("exited").orElseThrow().body().path("reason").asString())
          .isEqualTo("meeting_ended");
    }
  }

  @Test
  void aBotThatFailsToTellItsProgressIsAliveAllTheSame() throws Exception {
    Bot untold =
        new Bot() {
          private final Bot like = new ExampleBot();
          private final AtomicInteger asked = new AtomicInteger();

          @Override
          public void join(BotSession botSession) throws Exception {
            like.join(botSession);
          }

          @Override
          public String stay(BotSession botSession) throws Exception {
            return like.stay(botSession);
          }

          @Override
          public void leave(BotSession botSession) throws Exception {
            like.leave(botSession);
          }

          // Bots of users are compiled without these checks.
          @SuppressWarnings({"NullAway", "NullOptional"})
          @Override
          public Optional<BotProgress> progress() {
            return switch (asked.getAndIncrement() % 3) {
              case 0 -> throw new IllegalStateException("no progress");
              case 1 -> null;
              default -> Optional.of(new BotProgress(null, Optional.of(1), Optional.empty()));
            };
          }
        };
    BotRunner runner = runner(untold, PATIENT, Optional.empty());
    CompletableFuture<ExitCode> life = CompletableFuture.supplyAsync(() -> run(runner));
    for (int beats = 0; beats < 4; beats++) {
      await("heartbeat");
    }
    assertThat(plane.last("heartbeat").orElseThrow().body().has("progress")).isFalse();
    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
  }

  @Test
  void aBotThatThrowsAnErrorOrAnInterruptOfItsOwnHasCrashed() throws Exception {
    List<Callable<String>> stays =
        List.of(
            () -> {
              throw new LinkageError("no codec");
            },
            () -> {
              throw new InterruptedException("of its own");
            });
    for (Callable<String> stay : stays) {
      BotRunner runner = runner(new FailingBot(stay), PATIENT, Optional.empty());
      CompletableFuture<ExitCode> life = CompletableFuture.supplyAsync(() -> run(runner));
      assertThat(code(life)).isEqualTo(ExitCode.CRASHED);
      await("exited");
      assertThat(plane.last("exited").orElseThrow().body().path("reason").asString())
          .isEqualTo("crashed");
    }
  }

  @SuppressWarnings("NullAway") // bots of users are compiled without it
  @Test
  void aBotThatDoesNotSayWhyItLeavesHasLeft() throws Exception {
    BotRunner runner = runner(new FailingBot(() -> null), PATIENT, Optional.empty());
    CompletableFuture<ExitCode> life = CompletableFuture.supplyAsync(() -> run(runner));
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(plane.last("exited").orElseThrow().body().path("reason").asString())
        .isEqualTo("left");
  }

  @Test
  void aBotWhoseReconfigureThrowsAnythingObeysFurtherCommands() throws Exception {
    Bot failing =
        new FailingBot(
            () -> {
              new CountDownLatch(1).await();
              return "never";
            });
    BotRunner runner = runner(failing, PATIENT, Optional.empty());
    CompletableFuture<ExitCode> life = CompletableFuture.supplyAsync(() -> run(runner));
    await("joined");
    for (String how : List.of("error", "interrupt", "null", "interrupted")) {
      plane.command(how, "reconfigure", Map.of("task", how));
      FakeControlPlane.Call ack =
          heard.await(
              call ->
                  call.name().equals("ack")
                      && call.body().path("command_id").asString().equals(how),
              SOON);
      assertThat(ack.body().path("not_applied").findValuesAsString("reason"))
          .as(how)
          .containsExactly("the bot failed to change it");
    }
    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
  }

  /** Its meeting has ended when it comes. */
  private static class BriefBot implements Bot {
    @Override
    public void join(BotSession botSession) {}

    @Override
    public String stay(BotSession botSession) throws Exception {
      return "meeting_ended";
    }

    @Override
    public void leave(BotSession botSession) {}
  }

  /** Fails in {@code stay} as it is told, and in {@code reconfigure} as the new task says. */
  private record FailingBot(Callable<String> staying) implements Bot {
    @Override
    public void join(BotSession botSession) {}

    @Override
    public String stay(BotSession botSession) throws Exception {
      return staying.call();
    }

    @Override
    public void leave(BotSession botSession) {}

    @SuppressWarnings("NullAway") // bots of users are compiled without it
    @Override
    public AppliedSettings reconfigure(BotSession botSession, BotCommand change) throws Exception {
      return switch (change.setting("task").orElse("")) {
        case "null" -> new AppliedSettings(null, Map.of());
        case "error" -> throw new LinkageError("no codec");
        case "interrupt" -> throw new InterruptedException("of its own");
        default -> {
          Thread.currentThread().interrupt();
          throw new IllegalStateException("interrupted");
        }
      };
    }
  }

  @Test
  void segmentsThatAnIngressTookForItselfAreSentAgain() throws Exception {
    plane.pagesOf.put("transcript", new AtomicInteger(2));
    CompletableFuture<ExitCode> life = live(PATIENT, Optional.empty());
    await("transcript");
    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(reported("transcript", "segments", "text")).containsExactly("Good morning");
  }

  @Tag("nightly")
  @Test
  void aHeartbeatWhoseAnswerStallsAfterItsHeadersIsFollowedByOthers() throws Exception {
    plane.stallsOf.put("heartbeat", new AtomicInteger(1));
    CompletableFuture<ExitCode> life = live(PATIENT, Optional.empty());
    await("heartbeat");
    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
  }

  @Test
  void withoutRedisCommandsArriveWithTheNextAnswer() throws Exception {
    EmbeddedRedis redis = LocalStores.forTests().ownRedis();
    redis.kill();
    CompletableFuture<ExitCode> life = live(PATIENT, Optional.of(redis.url()));
    await("joined");
    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(plane.commands).as("acknowledged").isEmpty();
  }

  @Test
  void aBotThatWasGivenNoRedisHearsALeaveLongBeforeItsNextHeartbeat() throws Exception {
    plane.heartbeat = Duration.ofMinutes(10);
    CompletableFuture<ExitCode> life = live(PATIENT, Optional.empty());
    await("joined");
    plane.command("r1", "reconfigure", Map.of("language", "fr"));
    await("ack");
    plane.command("c1", "leave", Map.of());
    long sent = System.nanoTime();
    await("status");
    assertThat(System.nanoTime() - sent).isLessThan(Duration.ofSeconds(1).toNanos());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(plane.commands).as("acknowledged").isEmpty();
    assertThat(plane.names()).doesNotContain("heartbeat");
  }

  @Test
  void aControlPlaneThatDoesNotKnowTheCallForCommandsIsAskedByHeartbeats() throws Exception {
    plane.commandsAnswer = 404;
    CompletableFuture<ExitCode> life = live(PATIENT, Optional.empty());
    await("joined");
    await("heartbeat");
    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(plane.last("exited").orElseThrow().body().path("reason").asString())
        .isEqualTo("stopped");
    assertThat(plane.waits).hasValue(1);
  }

  @Test
  void aBotThatHasRedisDoesNotWaitForCommandsByHttp() throws Exception {
    CompletableFuture<ExitCode> life =
        live(PATIENT, Optional.of(LocalStores.forTests().redis().url()));
    await("heartbeat");
    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
    assertThat(plane.waits).hasValue(0);
  }

  @Test
  void aCommandOfUnknownKindIsAcknowledgedAndIgnored() throws Exception {
    CompletableFuture<ExitCode> life = live(PATIENT, Optional.empty());
    await("joined");
    plane.command("x1", "dance", Map.of());
    await("ack");
    assertThat(
            plane
                .last("ack")
                .orElseThrow()
                .body()
                .path("not_applied")
                .findValuesAsString("setting"))
        .containsExactly("dance");
    plane.command("c1", "leave", Map.of());
    assertThat(code(life)).isEqualTo(ExitCode.LEFT);
  }

  private CompletableFuture<ExitCode> live(RetryPolicy retryPolicy, Optional<String> redisUrl) {
    BotRunner runner = runner(retryPolicy, redisUrl);
    return CompletableFuture.supplyAsync(() -> run(runner));
  }

  private BotRunner runner(RetryPolicy retryPolicy, Optional<String> redisUrl) {
    return runner(new ExampleBot(), retryPolicy, redisUrl);
  }

  private BotRunner runner(Bot bot, RetryPolicy retryPolicy, Optional<String> redisUrl) {
    return new BotRunner(
        plane.config(Optional.of("http://example"), redisUrl, AutomaticLeave.DEFAULT),
        bot,
        retryPolicy);
  }

  private static ExitCode run(BotRunner runner) {
    try {
      return runner.run();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ExitCode code(CompletableFuture<ExitCode> life) throws Exception {
    return life.get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  /** A field of all that a list of these calls has held. */
  private List<String> reported(String name, String list, String field) {
    return plane.calls.stream()
        .filter(call -> call.name().equals(name))
        .flatMap(call -> call.body().path(list).findValuesAsString(field).stream())
        .toList();
  }

  private void await(String name) {
    FakeControlPlane.Call _ = heard.await(call -> call.name().equals(name), SOON);
  }
}
