package io.convoke.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.SpeakCommand.SpeakAudio;
import io.convoke.agent.SpeakCommand.SpeakText;
import io.convoke.engine.testhook.TestSignal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Commands to speak and to write into the chat, from the control plane to a bot and back. */
class TalkCommandsTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  private final FakeControlPlane plane = new FakeControlPlane();
  private final TestSignal.SignalObservation<FakeControlPlane.Call> heard = plane.heard.observe();
  private Optional<BotRunner> runner = Optional.empty();

  @AfterEach
  void close() {
    runner.ifPresent(BotRunner::terminate);
    plane.close();
  }

  /** Notes what it is told, and holds each speech until it is let go. */
  private static class SpeakingBot implements Bot {
    final BlockingQueue<SpeakCommand> spoken = new LinkedBlockingQueue<>();
    final BlockingQueue<String> written = new LinkedBlockingQueue<>();
    final CountDownLatch letGo = new CountDownLatch(1);

    @Override
    public void join(BotSession botSession) {}

    @Override
    public String stay(BotSession botSession) throws InterruptedException {
      botSession.chatted(
          new ChatMessage(
              "m\n1", Optional.of("Ada\u0000"), "a\u0000\ud800" + "b".repeat(5000), Instant.EPOCH));
      new CountDownLatch(1).await();
      return "never";
    }

    @Override
    public void leave(BotSession botSession) {}

    @Override
    public void speak(BotSession botSession, SpeakCommand what) throws Exception {
      boolean _ = spoken.add(what);
      letGo.await();
    }

    @Override
    public void chat(BotSession botSession, String text) throws Exception {
      boolean _ = written.add(text);
      if (text.equals("fail")) {
        throw new IllegalStateException("a bug");
      }
      if (text.equals("long")) {
        throw new CommandRefusedException("no\n" + "x".repeat(500));
      }
      if (text.equals("error")) {
        throw new LinkageError("no codec");
      }
      if (text.equals("interrupt")) {
        throw new InterruptedException("of its own");
      }
      if (text.equals("interrupted")) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted");
      }
    }
  }

  @Test
  void aBotThatCanDoNeitherSaysSo() throws Exception {
    CompletableFuture<ExitCode> life = live(new ExampleBot());
    plane.command("c1", "speak", Map.of("text", "Good morning"));
    assertThat(acknowledged("c1").path("not_applied").path(0).path("setting").asString())
        .isEqualTo("speak");
    plane.command("c2", "chat", Map.of("text", "Good morning"));
    assertThat(acknowledged("c2").path("not_applied").path(0).path("reason").asString())
        .isEqualTo("this bot does not write into the chat");
    assertThat(plane.names()).doesNotContain("chat");
    leave(life);
  }

  @Test
  void aSpeechThatTakesLongIsSaidOnceAndKeepsNothingElseWaiting() throws Exception {
    SpeakingBot bot = new SpeakingBot();
    CompletableFuture<ExitCode> life = live(bot);
    plane.command("c1", "speak", Map.of("text", "Good morning", "voice", "en-us"));
    SpeakCommand first = bot.spoken.poll(20, TimeUnit.SECONDS);
    assertThat(first).isEqualTo(new SpeakText("Good morning", Optional.of("en-us")));
    // Each answer has the command again.
    for (int i = 0; i < 5; i++) {
      await("heartbeat");
    }
    assertThat(plane.names()).as("it is not said yet").doesNotContain("ack");
    plane.command("c2", "reconfigure", Map.of("language", "de"));
    assertThat(acknowledged("c2").path("not_applied")).hasSize(1);
    bot.letGo.countDown();
    assertThat(acknowledged("c1").path("applied").path(0).asString()).isEqualTo("speak");
    plane.command("c1", "speak", Map.of("text", "Good morning"));
    assertThat(acknowledged("c1").path("applied").path(0).asString())
        .as("of an acknowledgement that was lost")
        .isEqualTo("speak");
    assertThat(bot.spoken).isEmpty();
    leave(life);
  }

  @Test
  void aBotLeavesInTheMiddleOfASpeech() throws Exception {
    SpeakingBot bot = new SpeakingBot();
    CompletableFuture<ExitCode> life = live(bot);
    plane.command("c1", "speak", Map.of("text", "Good morning"));
    assertThat(bot.spoken.poll(20, TimeUnit.SECONDS)).isNotNull();
    leave(life);
  }

  @Test
  void theSoundOfACommandIsFetched() throws Exception {
    SpeakingBot bot = new SpeakingBot();
    bot.letGo.countDown();
    CompletableFuture<ExitCode> life = live(bot);
    plane.sounds.put("c1", new byte[] {1, 2, 3});
    plane.command("c1", "speak", Map.of("audio_bytes", 3));
    SpeakCommand first = bot.spoken.poll(20, TimeUnit.SECONDS);
    assertThat(first).isInstanceOf(SpeakAudio.class);
    assertThat(((SpeakAudio) first).wav()).containsExactly(1, 2, 3);
    assertThat(acknowledged("c1").path("applied")).hasSize(1);
    plane.command("c2", "speak", Map.of("audio_bytes", 3));
    assertThat(acknowledged("c2").path("not_applied").path(0).path("reason").asString())
        .isEqualTo("the sound could not be fetched");
    assertThat(bot.spoken).isEmpty();
    leave(life);
  }

  @Test
  void whatTheBotWritesIsReportedAsItsOwn() throws Exception {
    SpeakingBot bot = new SpeakingBot();
    CompletableFuture<ExitCode> life = live(bot);
    JsonNode read = reported("m 1");
    assertThat(read.has("from_bot")).isFalse();
    assertThat(read.path("sender").asString()).isEqualTo("Ada");
    assertThat(read.path("text").asString()).startsWith("abb").hasSize(4096);
    plane.command("c1", "chat", Map.of("text", "The notes"));
    JsonNode own = reported("command:c1");
    assertThat(own.path("from_bot").asBoolean()).isTrue();
    assertThat(own.path("text").asString()).isEqualTo("The notes");
    assertThat(own.path("sender").asString()).isEqualTo("Scribe");
    assertThat(bot.written).containsExactly("The notes");
    leave(life);
  }

  @Test
  void aBotThatFailsSaysSoToo() throws Exception {
    CompletableFuture<ExitCode> life = live(new SpeakingBot());
    plane.command("c1", "chat", Map.of("text", "fail"));
    assertThat(acknowledged("c1").path("not_applied").path(0).path("reason").asString())
        .isEqualTo("the bot failed to do it");
    plane.command("c2", "chat", Map.of("text", "long"));
    assertThat(acknowledged("c2").path("not_applied").path(0).path("reason").asString())
        .hasSize(200)
        .startsWith("no xx");
    for (String text : List.of("error", "interrupt", "interrupted")) {
      plane.command(text, "chat", Map.of("text", text));
      assertThat(acknowledged(text).path("not_applied").path(0).path("reason").asString())
          .as(text)
          .isEqualTo("the bot failed to do it");
    }
    leave(life);
  }

  private void leave(CompletableFuture<ExitCode> life) throws Exception {
    plane.command("leave", "leave", Map.of());
    assertThat(life.get(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(ExitCode.LEFT);
  }

  private CompletableFuture<ExitCode> live(Bot bot) {
    BotRunner own =
        new BotRunner(
            plane.config(
                Optional.of("http://127.0.0.1:9/rooms/standup"),
                Optional.empty(),
                AutomaticLeave.DEFAULT),
            bot,
            new RetryPolicy(Duration.ofMillis(5), Duration.ofMillis(20), SOON));
    runner = Optional.of(own);
    CompletableFuture<ExitCode> life =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return own.run();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    await("joined");
    return life;
  }

  private void await(String name) {
    FakeControlPlane.Call _ = heard.await(call -> call.name().equals(name), SOON);
  }

  /** The next acknowledgement of a command. */
  private JsonNode acknowledged(String id) {
    return heard
        .await(
            call ->
                call.name().equals("ack") && call.body().path("command_id").asString().equals(id),
            SOON)
        .body();
  }

  /** A message of the chat, when it is reported. */
  private JsonNode reported(String id) {
    FakeControlPlane.Call call =
        heard.await(
            it ->
                it.name().equals("chat")
                    && it.body().path("messages").findValuesAsString("id").contains(id),
            SOON);
    List<JsonNode> messages = call.body().path("messages").valueStream().toList();
    return messages.stream()
        .filter(it -> it.path("id").asString().equals(id))
        .findFirst()
        .orElseThrow();
  }
}
