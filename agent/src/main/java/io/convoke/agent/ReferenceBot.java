package io.convoke.agent;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.agent.room.RoomEvent;
import io.convoke.agent.room.RoomFeed;
import io.convoke.agent.room.RoomUrlCheck;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * The reference bot. It joins rooms of the platform simulator over their plain protocol (join,
 * event stream, say, leave), reports captions as transcript segments, and leaves on command or by a
 * rule of {@link AutomaticLeave}.
 */
public final class ReferenceBot implements Bot {
  private static final Logger log = LoggerFactory.getLogger(ReferenceBot.class);
  private static final Duration PLATFORM_PATIENCE = Duration.ofSeconds(20);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
  private static final long RETRY_MS = 500;

  /** How long a bot that leaves waits for the answer to its join; its runner gives it 3 s. */
  private static final Duration JOIN_ANSWER_MAX = Duration.ofSeconds(2);

  /** The assumed speech rate in characters a second; a caption has no duration. */
  private static final double CHARACTERS_PER_SECOND = 15;

  private final HttpClient http = HttpClientFactory.create(Duration.ofSeconds(3));
  private final CountDownLatch left = new CountDownLatch(1);
  private volatile Instant began = Instant.now();
  private volatile @Nullable JoinCall joinCall;
  private volatile @Nullable RoomEntry roomEntry;
  private volatile @Nullable String language;
  private volatile @Nullable LeaveRuleMonitor leaveRuleMonitor;
  private volatile @Nullable Instant lastSpeech;
  private Optional<RoomEvent> opening = Optional.empty();

  /** Our place in the room. */
  private record RoomEntry(String sessionId, URI sayUrl, URI leave, RoomFeed feed) {}

  /**
   * A call to join. It goes on when the bot is stopped, so that the place it gets is given back.
   */
  private record JoinCall(URI uri, CompletableFuture<HttpResponse<byte[]>> answer) {}

  /** The main class of the bot's process. */
  public static void main(String[] args) {
    BotProcess.run(new ReferenceBot());
  }

  @Override
  public void join(BotSession botSession) throws Exception {
    // The session began with the report that precedes this call.
    began = Instant.now();
    BotConfig config = botSession.config();
    language = config.language().orElse(null);
    String url =
        config
            .meetingUrl()
            .filter(address -> address.matches("https?://\\S+"))
            .orElseThrow(() -> new BotFailure(ExitCode.BAD_CONFIG, "missing_meeting_url"));
    URI join = URI.create(url + "/join");
    JsonNode answer =
        ask(
            join,
            Map.of("user_name", config.botName(), "user_id", "convoke-bot-" + config.meetingId()));
    RoomEntry in = entry(join, answer);
    roomEntry = in;
    if (answer.path("state").asString("").equals("waiting")) {
      botSession.awaitingAdmission();
      opening = awaitAdmission(in.feed(), config.automaticLeave().waitingRoom());
    }
  }

  @Override
  public String stay(BotSession botSession) throws Exception {
    RoomEntry in = entered();
    LeaveRuleMonitor rules =
        new LeaveRuleMonitor(
            botSession.config().automaticLeave(), in.sessionId(), System.nanoTime());
    leaveRuleMonitor = rules;
    opening.ifPresent(event -> see(botSession, rules, event));
    while (true) {
      Optional<RoomEvent> event = in.feed().next(rules.until(System.nanoTime()));
      if (event.isPresent()) {
        see(botSession, rules, event.get());
        Optional<String> end = take(botSession, in, event.get());
        if (end.isPresent()) {
          return end.get();
        }
      }
      Optional<String> rule = rules.reason(System.nanoTime());
      if (rule.isPresent()) {
        return rule.get();
      }
    }
  }

  private static void see(
      BotSession botSession, LeaveRuleMonitor leaveRuleMonitor, RoomEvent event) {
    RoomEventParser.sighting(event, Instant.now())
        .ifPresent(
            sighting -> {
              boolean _ = leaveRuleMonitor.see(sighting, System.nanoTime());
              botSession.saw(sighting);
            });
  }

  @Override
  public void leave(BotSession botSession) throws Exception {
    left.countDown();
    RoomEntry known = roomEntry;
    Optional<RoomEntry> entry = known == null ? lateEntry() : Optional.of(known);
    if (entry.isPresent()) {
      RoomEntry in = entry.get();
      in.feed().close();
      HttpResponse<byte[]> _ = send(in.leave(), Map.of("session_id", in.sessionId()));
    }
    http.shutdownNow();
  }

  /** The place in the room of a bot that was stopped before the platform answered its join. */
  private Optional<RoomEntry> lateEntry() throws InterruptedException {
    JoinCall call = joinCall;
    if (call == null) {
      return Optional.empty();
    }
    try {
      HttpResponse<byte[]> response =
          call.answer().get(JOIN_ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS);
      return response.statusCode() == 200
          ? Optional.of(entry(call.uri(), Json.read(response.body(), JsonNode.class)))
          : Optional.empty();
    } catch (ExecutionException | TimeoutException | BotFailure e) {
      log.debug("no place in the room to give back: {}", e.toString());
      return Optional.empty();
    }
  }

  @Override
  public AppliedSettings reconfigure(BotSession botSession, BotCommand change) throws Exception {
    change.setting("language").ifPresent(tongue -> language = tongue);
    RoomEntry in = roomEntry;
    if (in != null) {
      StringBuilder text = new StringBuilder("New settings:");
      for (String name : List.of("language", "task", "bot_name")) {
        change
            .setting(name)
            .ifPresent(
                value -> text.append(' ').append(name).append(' ').append(value).append('.'));
      }
      HttpResponse<byte[]> _ =
          send(in.sayUrl(), Map.of("session_id", in.sessionId(), "text", text.toString()));
    }
    return AppliedSettings.of(
        change, List.of("language"), "this bot sets it when it joins, and cannot change it");
  }

  @Override
  public Optional<BotProgress> progress() {
    LeaveRuleMonitor monitor = leaveRuleMonitor;
    return monitor == null
        ? Optional.empty()
        : Optional.of(
            new BotProgress(
                Optional.empty(), Optional.of(monitor.others()), Optional.ofNullable(lastSpeech)));
  }

  /**
   * Waits in the lobby. Returns the room's state if the bot was admitted before the stream was
   * open.
   */
  private static Optional<RoomEvent> awaitAdmission(RoomFeed feed, Duration atMost)
      throws Exception {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      Duration left = Duration.ofNanos(deadline - System.nanoTime());
      if (!left.isPositive()) {
        throw new NotAdmittedException("waiting_room_timeout");
      }
      Optional<RoomEvent> event = feed.next(left);
      switch (event.map(RoomEvent::name).orElse("")) {
        case "admitted" -> {
          return Optional.empty();
        }
        case "snapshot" -> {
          if (event.map(seen -> seen.text("state")).orElse("").equals("in_meeting")) {
            return event;
          }
        }
        case "denied", RoomEvent.SESSION_GONE -> throw new NotAdmittedException("admission_denied");
        case RoomEvent.PLATFORM_GONE ->
            throw new BotFailure(ExitCode.PLATFORM_GONE, "platform_gone");
        default -> {}
      }
    }
  }

  /** Takes an event of the room in; the reason to go if it was the end. */
  private Optional<String> take(BotSession botSession, RoomEntry in, RoomEvent event)
      throws BotFailure {
    switch (event.name()) {
      case "caption" -> {
        if (!event.text("session_id").equals(in.sessionId())) {
          caption(botSession, event);
        }
      }
      case "meeting-ended", "left", RoomEvent.SESSION_GONE -> {
        return Optional.of("meeting_ended");
      }
      case "ejected" -> {
        return Optional.of("removed");
      }
      case "disconnected", RoomEvent.PLATFORM_GONE ->
          throw new BotFailure(ExitCode.PLATFORM_GONE, "platform_gone");
      default -> {}
    }
    return Optional.empty();
  }

  private void caption(BotSession botSession, RoomEvent event) {
    String text = event.text("text");
    if (text.isBlank()) {
      return;
    }
    lastSpeech = at(event);
    double start = Math.max(0, Duration.between(began, at(event)).toMillis() / 1000.0);
    double end = start + text.length() / CHARACTERS_PER_SECOND;
    String speaker = event.text("user_name");
    botSession.transcript(
        List.of(
            new TranscriptSegment(
                start,
                end,
                text,
                speaker.isEmpty() ? Optional.empty() : Optional.of(speaker),
                Optional.ofNullable(language))));
  }

  /** The next URL, at the requested host only. */
  private static URI address(URI asked, JsonNode answer, String field) throws BotFailure {
    return RoomUrlCheck.of(asked, answer, field)
        .orElseThrow(() -> new BotFailure(ExitCode.PLATFORM_GONE, "platform_error"));
  }

  private static Instant at(RoomEvent event) {
    try {
      return Instant.parse(event.text("at"));
    } catch (DateTimeParseException e) {
      return Instant.now();
    }
  }

  private RoomEntry entry(URI join, JsonNode answer) throws BotFailure {
    return new RoomEntry(
        answer.path("session_id").asString(""),
        address(join, answer, "say_url"),
        address(join, answer, "leave_url"),
        new RoomFeed(http, address(join, answer, "events_url"), PLATFORM_PATIENCE));
  }

  /** Asks to join until the platform answers or the patience ends. */
  private JsonNode ask(URI uri, Map<String, String> body) throws Exception {
    long giveUp = System.nanoTime() + PLATFORM_PATIENCE.toNanos();
    while (System.nanoTime() - giveUp < 0) {
      try {
        CompletableFuture<HttpResponse<byte[]>> answer =
            http.sendAsync(request(uri, body), HttpResponse.BodyHandlers.ofByteArray())
                .orTimeout(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS);
        joinCall = new JoinCall(uri, answer);
        HttpResponse<byte[]> response = answer.get();
        switch (response.statusCode()) {
          case 200 -> {
            return Json.read(response.body(), JsonNode.class);
          }
          case 404 -> throw new BotFailure(ExitCode.NO_MEETING, "meeting_not_found");
          case 401, 403 -> throw new NotAdmittedException("admission_denied");
          default -> log.debug("the platform answered {}", response.statusCode());
        }
      } catch (ExecutionException e) {
        log.debug("the platform did not answer: {}", e.toString());
      }
      boolean _ = left.await(RETRY_MS, TimeUnit.MILLISECONDS);
    }
    throw new BotFailure(ExitCode.PLATFORM_GONE, "platform_gone");
  }

  private HttpResponse<byte[]> send(URI uri, Map<String, String> body)
      throws IOException, InterruptedException {
    return WholeAnswer.of(
        http, request(uri, body), HttpResponse.BodyHandlers.ofByteArray(), ANSWER_MAX);
  }

  private static HttpRequest request(URI uri, Map<String, String> body) {
    return HttpRequest.newBuilder(uri)
        .timeout(ANSWER_MAX)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)))
        .build();
  }

  private RoomEntry entered() {
    RoomEntry in = roomEntry;
    if (in == null) {
      throw new IllegalStateException("stay comes after join");
    }
    return in;
  }
}
