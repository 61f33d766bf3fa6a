package io.convoke.server.bots;

import io.convoke.engine.json.Json;
import io.convoke.server.http.Problem;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The users' operations on bots. A start reserves a row; a stop and a reconfiguration write the
 * desired state and a command; none of them writes a status afterwards.
 */
final class BotService {
  private final BotStore store;
  private final Admission admission;
  private final BotCommands commands;
  private final Secrets secrets;
  private final Deadlines deadlines;

  BotService(
      BotStore store,
      Admission admission,
      BotCommands commands,
      Secrets secrets,
      Deadlines deadlines) {
    this.store = store;
    this.admission = admission;
    this.commands = commands;
    this.secrets = secrets;
    this.deadlines = deadlines;
  }

  /** A command that the bot has not acknowledged. */
  record Waiting(String id, String action) {}

  /** A bot's status, with the owner and the deadline of its state. */
  record Status(
      long meetingId,
      MeetingStatus status,
      Instant stateEnteredAt,
      Optional<Instant> deadline,
      Optional<String> owner,
      String sessionUid,
      int attempt,
      String desired,
      Optional<Instant> startAt,
      Optional<Instant> lastHeartbeat,
      List<Waiting> pendingCommands) {}

  /** How far ahead a bot may be scheduled. */
  static final Duration AHEAD_MAX = Duration.ofDays(366);

  /** New settings; absent ones stay. */
  record Change(Optional<String> language, Optional<String> task, Optional<String> botName) {
    Map<String, String> settings() {
      Map<String, String> settings = new LinkedHashMap<>();
      language.ifPresent(value -> settings.put("language", value));
      task.ifPresent(value -> settings.put("task", value));
      botName.ifPresent(value -> settings.put("bot_name", value));
      return settings;
    }

    BotWish applyTo(BotWish wish) {
      return new BotWish(
          wish.meetingUrl(),
          botName.or(wish::botName),
          language.or(wish::language),
          task.or(wish::task),
          wish.passcode(),
          wish.automaticLeave());
    }
  }

  /** Reserves a bot. The passcode in {@code ask} is in clear and is sealed here. */
  Meeting start(Admission.Ask ask) {
    BotWish wish = ask.wish();
    BotWish sealed =
        new BotWish(
            wish.meetingUrl(),
            wish.botName(),
            wish.language(),
            wish.task(),
            wish.passcode().map(secrets::seal),
            wish.automaticLeave());
    Admission.Verdict verdict =
        admission.reserve(
            new Admission.Ask(
                ask.userId(),
                ask.platform(),
                ask.nativeMeetingId(),
                sealed,
                ask.startAt(),
                ask.data(),
                ask.actor()));
    return switch (verdict) {
      case Admission.Verdict.Reserved(Meeting meeting) -> meeting;
      case Admission.Verdict.Occupied(Meeting existing) ->
          throw Problem.conflict(
              "bot_already_there",
              "A bot of this user is in that meeting already.",
              Map.of(
                  "meeting_id", existing.id(),
                  "meeting_status", existing.status().word(),
                  "meeting", Json.tree(existing)));
      case Admission.Verdict.OverLimit(int limit) ->
          throw Problem.tooMany(
                  "bot_limit_reached",
                  "This user may have " + limit + " bots at a time.",
                  Duration.ofSeconds(30))
              .with("max_concurrent_bots", limit);
      case Admission.Verdict.FleetFull(int limit) ->
          throw Problem.tooMany(
              "fleet_limit_reached",
              "All " + limit + " places for bots are taken.",
              Duration.ofSeconds(30));
      case Admission.Verdict.NoUser _ -> throw Problem.notFound("user");
    };
  }

  /**
   * Requests the bot's end and sends the command; a bot that has ended is unchanged. @param kill
   * whether the launcher ends it at once, without the time to leave
   */
  Status stop(long meetingId, boolean kill, String actor) {
    BotRow row =
        store
            .database()
            .transaction(
                tx -> {
                  BotRow seen = locked(BotStore.lock(tx, meetingId));
                  if (seen.status().terminal()) {
                    return seen;
                  }
                  BotRow wanted = BotStore.wantStop(tx, meetingId);
                  if (!BotCommands.waits(tx, seen.connectionId(), "leave")) {
                    commands.send(tx, wanted, "leave", Map.of("meeting_id", meetingId), actor);
                  }
                  if (kill) {
                    commands.tellOfKill(tx, wanted, actor);
                  }
                  return wanted;
                });
    return status(row);
  }

  /** Stores new settings and sends them to the bot. */
  Status reconfigure(long meetingId, Change change, String actor) {
    BotRow row =
        store
            .database()
            .transaction(
                tx -> {
                  BotRow seen = locked(BotStore.lock(tx, meetingId));
                  if (seen.status().terminal()) {
                    throw Problem.conflict(
                        "meeting_over",
                        "The bot has ended.",
                        Map.of("meeting_status", seen.status().word()));
                  }
                  if (BotCommands.pending(tx, seen.connectionId()).size()
                      >= BotCommands.PENDING_MAX) {
                    throw Problem.tooMany(
                        "too_many_commands",
                        "The bot has not taken the commands before this one.",
                        Duration.ofSeconds(10));
                  }
                  BotWish wish = change.applyTo(seen.wish());
                  BotStore.rewish(tx, meetingId, wish);
                  commands.send(tx, seen, "reconfigure", settings(seen, change, wish), actor);
                  return seen;
                });
    return status(row);
  }

  /**
   * A time to start as the user gave it: none if it is now or was up to the launch deadline ago.
   *
   * @throws Problem 400 if it is longer ago or too far ahead
   */
  Optional<Instant> startTime(Instant wanted) {
    Instant now = store.now();
    Duration late = deadlines.late();
    if (wanted.isBefore(now.minus(late))) {
      throw Problem.badRequest("start_at", "is more than " + late.toSeconds() + " s ago");
    }
    if (wanted.isAfter(now.plus(AHEAD_MAX))) {
      throw Problem.badRequest("start_at", "is more than " + AHEAD_MAX.toDays() + " days ahead");
    }
    return Optional.of(wanted).filter(at -> at.isAfter(now));
  }

  /** Moves the start of a scheduled bot; one that is due already starts at once. */
  Status reschedule(long meetingId, Instant wanted, String actor) {
    Instant at = startTime(wanted).orElseGet(store::now);
    BotRow row =
        store
            .database()
            .transaction(
                tx -> {
                  BotRow seen = locked(BotStore.lock(tx, meetingId));
                  if (!BotStore.reschedule(tx, meetingId, at)) {
                    throw Problem.conflict(
                        "not_scheduled",
                        "Only a bot that waits for its time can be moved.",
                        Map.of("meeting_status", seen.status().word()));
                  }
                  commands.tellOfMove(tx, seen, at, actor);
                  return locked(BotStore.lock(tx, meetingId));
                });
    return status(row);
  }

  /** Where a bot stands. */
  Status status(BotRow row) {
    return statuses(List.of(row)).getFirst();
  }

  /** Where bots stand, in their order. */
  List<Status> statuses(List<BotRow> rows) {
    Map<String, List<Waiting>> waiting =
        store
            .database()
            .read(
                tx ->
                    BotCommands.pending(tx, rows.stream().map(BotRow::connectionId).toList())
                        .stream()
                        .collect(
                            Collectors.groupingBy(
                                BotCommands.Owed::connectionId,
                                Collectors.mapping(
                                    owed -> new Waiting(owed.id(), owed.action()),
                                    Collectors.toList()))));
    return rows.stream()
        .map(row -> status(row, waiting.getOrDefault(row.connectionId(), List.of())))
        .toList();
  }

  private Status status(BotRow row, List<Waiting> pending) {
    return new Status(
        row.id(),
        row.status(),
        row.stateEnteredAt(),
        deadlines.of(row),
        deadlines.owner(row),
        row.connectionId(),
        row.attempt(),
        row.stopRequested() ? "stop" : "run",
        row.startAt(),
        row.status() == MeetingStatus.RESERVED ? Optional.empty() : Optional.of(row.lastSign()),
        pending);
  }

  /**
   * The command's content: the change; for Vexa's image, which unsets absent fields, all settings.
   */
  private static Map<String, ?> settings(BotRow row, Change change, BotWish wish) {
    return switch (row.protocol()) {
      case CONVOKE -> change.settings();
      case VEXA -> {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("uid", row.connectionId());
        all.put("meeting_id", row.id());
        wish.language().ifPresent(value -> all.put("language", value));
        all.put("task", wish.task().orElse("transcribe"));
        yield all;
      }
    };
  }

  private static BotRow locked(Optional<BotRow> row) {
    return row.orElseThrow(() -> Problem.notFound("meeting"));
  }
}
