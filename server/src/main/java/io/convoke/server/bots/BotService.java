package io.convoke.server.bots;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.meetings.MeetingSubstatus;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * The users' operations on bots. A start reserves a row; a stop and a reconfiguration write the
 * desired state and a command; none of them writes a status afterwards.
 */
final class BotService {
  private final BotStore store;
  private final AdmissionControl admissionControl;
  private final BotCommandQueue commands;
  private final Sealer sealer;
  private final BotDeadlines botDeadlines;
  private final BotTransitions transitions;
  private final PlaceQueue placeQueue;
  private final BotRulesConfig terms;

  BotService(
      BotStore store,
      AdmissionControl admissionControl,
      PlaceQueue placeQueue,
      BotCommandQueue commands,
      Sealer sealer,
      BotDeadlines botDeadlines,
      BotTransitions transitions,
      BotRulesConfig terms) {
    this.placeQueue = placeQueue;
    this.terms = terms;
    this.store = store;
    this.admissionControl = admissionControl;
    this.commands = commands;
    this.sealer = sealer;
    this.botDeadlines = botDeadlines;
    this.transitions = transitions;
  }

  /** A command that the bot has not acknowledged. */
  record WaitingCommand(String id, String action) {}

  /** A bot's status, with the owner and the deadline of its state. */
  record BotStatusReport(
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
      List<WaitingCommand> pendingCommands,
      Optional<MeetingSubstatus> substatus,
      Optional<Instant> lobbySince,
      Optional<QueuePlace> queue,
      Optional<Instant> lifeEndsAt,
      Optional<ReportedProgress> progress,
      Optional<BotEndRequest> endRequest,
      Optional<BotSettingsReport> lastChange) {}

  /** The place of a bot in the queue of its user; the first is 1. */
  record QueuePlace(long position, Instant since, Instant until) {}

  /**
   * What a bot reports of its work.
   *
   * @param growsSince when {@code audio_seconds} last grew
   * @param stalledSince since when the server has known that they do not grow
   */
  record ReportedProgress(
      Optional<Double> audioSeconds,
      Optional<Integer> participants,
      Optional<Instant> lastSpeechAt,
      Optional<Instant> growsSince,
      Optional<Instant> stalledSince) {}

  /** How far ahead a bot may be scheduled. */
  static final Duration AHEAD_MAX = Duration.ofDays(366);

  /** New settings; absent ones stay. */
  record BotSettingsChange(
      Optional<String> language,
      Optional<String> task,
      Optional<String> botName,
      BotLimits limits) {
    boolean empty() {
      return settings().isEmpty() && limits.equals(BotLimits.NONE);
    }

    Map<String, String> settings() {
      Map<String, String> settings = new LinkedHashMap<>();
      language.ifPresent(value -> settings.put("language", value));
      task.ifPresent(value -> settings.put("task", value));
      botName.ifPresent(value -> settings.put("bot_name", value));
      return settings;
    }

    BotSpec applyTo(BotSpec spec) {
      return new BotSpec(
          spec.meetingUrl(),
          botName.or(spec::botName),
          language.or(spec::language),
          task.or(spec::task),
          spec.passcode(),
          spec.automaticLeave());
    }
  }

  /** Reserves a bot. The passcode in {@code ask} is in clear and is sealed here. */
  Meeting start(AdmissionControl.ReservationRequest reservationRequest) {
    BotSpec spec = reservationRequest.spec();
    BotSpec sealed =
        new BotSpec(
            spec.meetingUrl(),
            spec.botName(),
            spec.language(),
            spec.task(),
            spec.passcode().map(sealer::seal),
            spec.automaticLeave());
    Meeting meeting = admissionControl.reserve(reservationRequest.sealed(sealed));
    if (meeting.substatus().isPresent()) {
      // A place that became free before this commit, when the bot did not wait yet.
      placeQueue.advance(Optional.of(meeting.userId()));
    }
    return meeting;
  }

  /**
   * Requests the bot's end and sends the command; a bot that has ended is unchanged.
   *
   * @param kill whether the launcher ends it at once, without the time to leave
   */
  BotStatusReport stop(long meetingId, boolean kill, String actor) {
    BotRow row =
        store
            .database()
            .transaction(
                tx -> {
                  BotRow seen = locked(BotStore.lock(tx, meetingId));
                  if (seen.status().terminal()) {
                    return seen;
                  }
                  BotRow wanted = leave(tx, List.of(seen), actor).getFirst();
                  if (kill) {
                    commands.tellOfKill(tx, wanted, actor);
                  }
                  return wanted;
                });
    return status(row);
  }

  /**
   * Ends the row of a bot whose host is gone for good, without asking its launcher; one that has
   * ended is unchanged. The bot that comes back is told that its launch is over, and a launcher
   * that finds it ends it.
   */
  BotStatusReport abandon(long meetingId, String actor) {
    BotRow row =
        store
            .database()
            .transaction(
                tx -> {
                  BotRow seen = locked(BotStore.lock(tx, meetingId));
                  if (!seen.status().terminal()) {
                    var _ =
                        transitions.apply(
                            tx,
                            meetingId,
                            BotTransitions.TransitionGuard.launchOf(seen),
                            BotEvent.DeadlinePassed.abandoned(),
                            actor);
                  }
                  return locked(BotStore.lock(tx, meetingId));
                });
    return status(row);
  }

  /**
   * Requests the end of those of these meetings that are bots', in the caller's transaction, which
   * may hold a lock that others wait for: the number of statements does not depend on that of bots.
   */
  void stop(Tx tx, List<Long> meetings, String actor) {
    List<BotRow> live =
        BotStore.lock(tx, meetings).stream().filter(row -> !row.status().terminal()).toList();
    if (!live.isEmpty()) {
      List<BotRow> _ = leave(tx, live, actor);
    }
  }

  private List<BotRow> leave(Tx tx, List<BotRow> live, String actor) {
    List<BotRow> wanted = BotStore.wantStop(tx, live.stream().map(BotRow::id).toList());
    Set<String> told =
        BotCommandQueue.pending(tx, wanted.stream().map(BotRow::connectionId).toList()).stream()
            .filter(command -> command.action().equals("leave") && !command.byRule())
            .map(BotCommandQueue.UnacknowledgedCommand::connectionId)
            .collect(Collectors.toSet());
    List<BotRow> untold =
        wanted.stream().filter(row -> !told.contains(row.connectionId())).toList();
    commands.send(tx, untold, "leave", row -> Map.of("meeting_id", row.id()), actor);
    return wanted;
  }

  /** Stores new settings and sends them to the bot. */
  BotStatusReport reconfigure(long meetingId, BotSettingsChange botSettingsChange, String actor) {
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
                        Map.of("meeting_status", seen.status().wireName()));
                  }
                  if (BotCommandQueue.pending(tx, seen.connectionId()).size()
                      >= BotCommandQueue.PENDING_MAX) {
                    throw Problem.tooMany(
                        "too_many_commands",
                        "The bot has not acknowledged earlier commands.",
                        Duration.ofSeconds(10));
                  }
                  BotStore.replaceLimits(
                      tx, meetingId, botSettingsChange.limits().or(seen.limits()));
                  if (!botSettingsChange.settings().isEmpty()) {
                    BotSpec spec = botSettingsChange.applyTo(seen.spec());
                    BotStore.replaceSpec(tx, meetingId, spec);
                    commands.send(
                        tx,
                        List.of(seen),
                        "reconfigure",
                        bot -> settings(bot, botSettingsChange, spec),
                        actor);
                  }
                  return locked(BotStore.lock(tx, meetingId));
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
    Duration late = botDeadlines.late();
    if (wanted.isBefore(now.minus(late))) {
      throw Problem.badRequest("start_at", "is more than " + late.toSeconds() + " s ago");
    }
    if (wanted.isAfter(now.plus(AHEAD_MAX))) {
      throw Problem.badRequest("start_at", "is more than " + AHEAD_MAX.toDays() + " days ahead");
    }
    return Optional.of(wanted).filter(at -> at.isAfter(now));
  }

  /** Moves the start of a scheduled bot; one that is due already starts at once. */
  BotStatusReport reschedule(long meetingId, Instant wanted, String actor) {
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
                        Map.of("meeting_status", seen.status().wireName()));
                  }
                  commands.tellOfMove(tx, seen, at, actor);
                  return locked(BotStore.lock(tx, meetingId));
                });
    return status(row);
  }

  /** Where a bot stands. */
  BotStatusReport status(BotRow row) {
    return statuses(List.of(row)).getFirst();
  }

  /** Where bots stand, in their order. */
  List<BotStatusReport> statuses(List<BotRow> rows) {
    List<String> connections = rows.stream().map(BotRow::connectionId).toList();
    Map<Long, Long> places = store.queuePositions(rows);
    return store
        .database()
        .read(
            tx -> {
              Map<String, List<WaitingCommand>> waiting = waiting(tx, connections);
              Map<String, BotSettingsReport> changes = BotSettingsReport.latest(tx, connections);
              return rows.stream()
                  .map(
                      row ->
                          status(
                              row,
                              waiting.getOrDefault(row.connectionId(), List.of()),
                              Optional.ofNullable(places.get(row.id())),
                              Optional.ofNullable(changes.get(row.connectionId()))))
                  .toList();
            });
  }

  private static Map<String, List<WaitingCommand>> waiting(Tx tx, List<String> connections) {
    return BotCommandQueue.pending(tx, connections).stream()
        .collect(
            Collectors.groupingBy(
                BotCommandQueue.UnacknowledgedCommand::connectionId,
                Collectors.mapping(
                    command -> new WaitingCommand(command.id(), command.action()),
                    Collectors.toList())));
  }

  private BotStatusReport status(
      BotRow row,
      List<WaitingCommand> pending,
      Optional<Long> place,
      Optional<BotSettingsReport> lastChange) {
    return new BotStatusReport(
        row.id(),
        row.status(),
        row.stateEnteredAt(),
        botDeadlines.of(row),
        botDeadlines.owner(row),
        row.connectionId(),
        row.attempt(),
        row.stopRequested() ? "stop" : "run",
        row.startAt(),
        row.meeting().startTime().map(_ -> row.lastSign()),
        pending,
        row.meeting().substatus(),
        row.lobbySince(),
        place.flatMap(
            position ->
                row.queueTicket()
                    .map(ticket -> new QueuePlace(position, ticket.since(), ticket.until()))),
        row.status().terminal() ? Optional.empty() : new BotRuleCheck(terms).lifeEnd(row),
        row.progress().report().map(report -> progress(row, report)),
        row.endRequest(),
        lastChange.map(change -> change.spokenBy(row.protocol())));
  }

  private static ReportedProgress progress(BotRow row, JsonNode report) {
    HeartbeatProgress said = Json.read(report, HeartbeatProgress.class);
    return new ReportedProgress(
        said.audioSeconds(),
        said.participants(),
        said.lastSpeechAt(),
        row.progress().changedAt(),
        row.progress().stalledAt());
  }

  /**
   * The command's content: the change; for Vexa's image, which unsets absent fields, all settings.
   */
  private static Map<String, ?> settings(
      BotRow row, BotSettingsChange botSettingsChange, BotSpec spec) {
    return switch (row.protocol()) {
      case CONVOKE -> botSettingsChange.settings();
      case VEXA -> {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("uid", row.connectionId());
        all.put("meeting_id", row.id());
        spec.language().ifPresent(value -> all.put("language", value));
        all.put("task", spec.task().orElse("transcribe"));
        yield all;
      }
    };
  }

  private static BotRow locked(Optional<BotRow> row) {
    return row.orElseThrow(() -> Problem.notFound("meeting"));
  }
}
