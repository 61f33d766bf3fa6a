package io.convoke.server.mcp;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Why a bot is where it is: a conclusion, and facts with the events that prove them. A pure
 * function of what the API shows of the bot and of its meeting's journal.
 *
 * @param conclusion one or two sentences
 * @param waitsFor who must act next: user, queue, launcher, bot, host, nothing
 * @param facts in the order of time, then what is known of now
 */
record BotExplanation(
    long meetingId, String status, String conclusion, String waitsFor, List<ExplainedFact> facts) {

  /**
   * A fact.
   *
   * @param at when, where it is about an instant
   * @param events the numbers of the journal's events that prove it; empty for what is read from
   *     the bot's row
   */
  record ExplainedFact(Optional<Instant> at, String says, List<Long> events) {}

  /**
   * The events of a meeting that were read.
   *
   * @param events oldest first
   * @param complete whether no earlier ones were left unread
   */
  record TimelinePart(List<JsonNode> events, boolean complete) {}

  /** A heartbeat comes every few seconds; this long without one is worth a sentence. */
  private static final Duration SILENT = Duration.ofSeconds(45);

  /** A launch takes seconds; after this it is late. */
  private static final Duration LAUNCH_USUAL = Duration.ofSeconds(20);

  private static final Set<String> ENDED = Set.of("completed", "failed");
  private static final int LINE_MAX = 200;

  /** What waits, and for whom. */
  private record Finding(String conclusion, String waitsFor) {}

  static boolean ended(String status) {
    return ENDED.contains(status);
  }

  /** Whether an event is one of those that explain a bot. */
  static boolean tells(JsonNode event) {
    return sentence(event, Optional.empty()).isPresent();
  }

  /**
   * Explains a bot.
   *
   * @param report what {@code GET /bots/status} says of it
   * @param meeting its meeting
   * @param timeline of the meeting
   */
  static BotExplanation of(JsonNode report, JsonNode meeting, TimelinePart timeline, Instant now) {
    List<ExplainedFact> facts = new ArrayList<>();
    Optional<JsonNode> before = Optional.empty();
    for (JsonNode event : timeline.events()) {
      Optional<String> says = sentence(event, before);
      if (says.isPresent()) {
        facts.add(
            new ExplainedFact(
                instant(event, "at"), says.get(), List.of(event.path("seq").asLong())));
      }
      if (isMove(event)) {
        before = Optional.of(event);
      }
    }
    String status = report.path("status").asString("");
    if (!ended(status)) {
      facts.addAll(present(report, now));
    }
    Finding finding = finding(report, meeting, timeline, now);
    return new BotExplanation(
        meeting.path("id").asLong(),
        status,
        finding.conclusion(),
        finding.waitsFor(),
        List.copyOf(facts));
  }

  private static Finding finding(
      JsonNode report, JsonNode meeting, TimelinePart timeline, Instant now) {
    String status = report.path("status").asString("");
    Instant since = instant(report, "state_entered_at").orElse(now);
    String age = length(Duration.between(since, now));
    String deadline =
        instant(report, "deadline")
            .map(
                at ->
                    at.isBefore(now)
                        ? " It is overdue since %s; the next sweep ends it.".formatted(at)
                        : " If nothing changes, it is ended in %s."
                            .formatted(length(Duration.between(now, at))))
            .orElse("");
    boolean leaving =
        report.path("desired").asString("").contains("stop")
            || report.path("end_request").isObject();
    if (leaving && List.of("reserved", "starting").contains(status)) {
      return new Finding(
          "A stop was asked for before the bot was in the meeting: its launch is cancelled, or it"
              + " leaves."
              + deadline,
          status.equals("reserved") ? "launcher" : "bot");
    }
    return switch (status) {
      case "completed", "failed" -> end(meeting, timeline);
      case "reserved" -> reserved(report, meeting, now, age, deadline);
      case "starting" ->
          report.path("substatus").asString("").equals("awaiting_admission")
              ? new Finding(
                  "The bot waits to be let in, since %s. Someone in the meeting must admit it."
                          .formatted(
                              instant(report, "lobby_since").map(Instant::toString).orElse(age))
                      + deadline,
                  "host")
              : new Finding(
                  "The bot's program runs and has not joined the meeting for %s.".formatted(age)
                      + deadline,
                  "bot");
      case "stopping" ->
          new Finding("The bot is leaving, since %s.".formatted(age) + deadline, "bot");
      default -> active(report, now, leaving, deadline);
    };
  }

  private static Finding end(JsonNode meeting, TimelinePart timeline) {
    JsonNode outcome = meeting.at("/data/outcome");
    String reason = outcome.path("reason").asString("unknown");
    String whose =
        switch (outcome.path("attribution").asString("")) {
          case "user" -> "its user";
          case "host" -> "the people in the meeting";
          case "platform" -> "the meeting platform";
          case "us" -> "Convoke: bot, launcher or server";
          default -> "unknown";
        };
    String code =
        outcome.path("exit_code").isNumber()
            ? ", exit code " + outcome.path("exit_code").asInt()
            : "";
    List<JsonNode> moves = timeline.events().stream().filter(BotExplanation::isMove).toList();
    boolean joined = moves.stream().anyMatch(it -> to(it).equals("active"));
    // Of an adopted meeting the journal does not know what was before.
    boolean known =
        timeline.complete()
            && moves.stream().noneMatch(it -> it.at("/data/event").asString("").equals("adopted"));
    String unseen = known ? " It never was in the meeting." : "";
    return new Finding(
        "The bot has ended (%s%s): %s. Responsible: %s.%s"
            .formatted(
                meeting.path("status").asString(""),
                code,
                reason,
                whose,
                joined ? " It was in the meeting." : unseen),
        "nothing");
  }

  private static Finding reserved(
      JsonNode report, JsonNode meeting, Instant now, String age, String deadline) {
    JsonNode queue = report.path("queue");
    if (queue.isObject()) {
      return new Finding(
          "No place is free: the bot waits as number %d of its user's queue, since %s, at most until %s."
              .formatted(
                  queue.path("position").asLong(),
                  queue.path("since").asString(""),
                  queue.path("until").asString("")),
          "queue");
    }
    Optional<Instant> start = instant(report, "start_at").filter(now::isBefore);
    if (start.isPresent()) {
      return new Finding(
          "The bot is scheduled: it starts at %s, in %s."
              .formatted(start.get(), length(Duration.between(now, start.get()))),
          "nothing");
    }
    if (meeting.path("bot_container_id").isString()) {
      return new Finding(
          "A launcher has started the bot's program, which has not reported yet. Reserved for %s."
                  .formatted(age)
              + " If this lasts, look whether the program can reach the server."
              + deadline,
          "bot");
    }
    boolean late =
        instant(report, "state_entered_at")
            .filter(at -> Duration.between(at, now).compareTo(LAUNCH_USUAL) > 0)
            .isPresent();
    return new Finding(
        "The bot is not launched yet, reserved for %s.".formatted(age)
            + (late
                ? " A launch takes seconds: no server with the role bots takes it, or its launcher"
                    + " is out of reach and is asked again with each sweep, or its platform does"
                    + " not tell where the room is and is asked again each half minute."
                : "")
            + deadline,
        "launcher");
  }

  private static Finding active(JsonNode report, Instant now, boolean leaving, String deadline) {
    Optional<Duration> silent =
        instant(report, "last_heartbeat")
            .map(at -> Duration.between(at, now))
            .filter(it -> it.compareTo(SILENT) > 0);
    if (silent.isPresent()) {
      return new Finding(
          "The bot is in the meeting and has sent no heartbeat for %s."
                  .formatted(length(silent.get()))
              + deadline,
          "bot");
    }
    if (leaving) {
      return new Finding("The bot was asked to leave and has not begun to." + deadline, "bot");
    }
    Optional<Instant> stalled = instant(report.path("progress"), "stalled_since");
    return stalled
        .map(
            at ->
                new Finding(
                    "The bot is in the meeting and has heard no audio since %s.".formatted(at),
                    "bot"))
        .orElseGet(() -> new Finding("The bot is in the meeting and reports.", "nothing"));
  }

  /** What is known of now from the bot's row. */
  private static List<ExplainedFact> present(JsonNode report, Instant now) {
    List<ExplainedFact> facts = new ArrayList<>();
    Optional<Instant> heartbeat = instant(report, "last_heartbeat");
    if (heartbeat.isPresent()) {
      facts.add(
          new ExplainedFact(
              heartbeat,
              "The last heartbeat came %s ago."
                  .formatted(length(Duration.between(heartbeat.get(), now))),
              List.of()));
    }
    JsonNode pending = report.path("pending_commands");
    if (!pending.isEmpty()) {
      facts.add(
          new ExplainedFact(
              Optional.empty(),
              "The bot has not acknowledged: %s."
                  .formatted(
                      String.join(
                          ", ",
                          pending
                              .valueStream()
                              .map(it -> it.path("action").asString(""))
                              .toList())),
              List.of()));
    }
    return facts;
  }

  private static Optional<String> sentence(JsonNode event, Optional<JsonNode> before) {
    JsonNode data = event.path("data");
    return switch (event.path("type").asString("")) {
      case "meeting.status_changed" -> Optional.of(move(event, before));
      case "bot.awaiting_admission" -> Optional.of("The bot waits to be let in.");
      case "bot.rescheduled" -> Optional.of("The start was moved.");
      case "bot.kill_wanted" -> Optional.of("A kill was asked for.");
      case "bot.command_sent" ->
          Optional.of("The bot was told: %s.".formatted(data.path("action").asString("a command")));
      case "bot.command_acknowledged" -> Optional.of("The bot acknowledged a command.");
      case "bot.no_progress" -> Optional.of("The bot reports no progress: it hears nothing.");
      case "bot.log" -> Optional.of(crash(data));
      default -> Optional.empty();
    };
  }

  private static String move(JsonNode event, Optional<JsonNode> before) {
    JsonNode data = event.path("data");
    String took =
        before
            .flatMap(it -> instant(it, "at"))
            .flatMap(from -> instant(event, "at").map(at -> Duration.between(from, at)))
            .map(it -> ", " + length(it) + " after the move before")
            .orElse("");
    return "%s to %s: %s (%s) by %s, attempt %d%s."
        .formatted(
            data.path("from").asString("begin"),
            to(event),
            data.path("event").asString(""),
            data.path("reason").asString(""),
            data.path("actor").asString(""),
            data.path("attempt").asLong(),
            took);
  }

  private static String crash(JsonNode data) {
    JsonNode lines = data.path("lines");
    String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1).asString("");
    return "The bot's process ended%s; the last line of its log: %s"
        .formatted(
            data.path("exit_code").isNumber()
                ? " with exit code " + data.path("exit_code").asInt()
                : "",
            cut(last));
  }

  private static String cut(String line) {
    return line.codePoints()
        .limit(LINE_MAX)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static boolean isMove(JsonNode event) {
    return event.path("type").asString("").equals("meeting.status_changed");
  }

  private static String to(JsonNode move) {
    return move.at("/data/to").asString("");
  }

  private static Optional<Instant> instant(JsonNode tree, String member) {
    JsonNode value = tree.path(member);
    return value.isString() ? Optional.of(Instant.parse(value.asString())) : Optional.empty();
  }

  /** For people: {@code 2 h 5 min}, {@code 40 s}, {@code 0.3 s}. */
  static String length(Duration duration) {
    Duration positive = duration.isNegative() ? Duration.ZERO : duration;
    if (positive.compareTo(Duration.ofSeconds(10)) < 0) {
      return Math.round(positive.toMillis() / 100.0) / 10.0 + " s";
    }
    if (positive.compareTo(Duration.ofMinutes(2)) < 0) {
      return positive.toSeconds() + " s";
    }
    return positive.compareTo(Duration.ofHours(2)) < 0
        ? positive.toMinutes() + " min"
        : positive.toHours() + " h " + positive.toMinutesPart() + " min";
  }
}
