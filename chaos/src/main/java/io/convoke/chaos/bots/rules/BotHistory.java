package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.LifecycleRule;
import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.chaos.kernel.StreamRule;
import io.convoke.chaos.kernel.TimedReply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Everything observed of the bots of one run.
 *
 * @param limits bot limit of each user
 * @param transitions transitions in the journal, by sequence
 * @param countedFrom when the control plane restarted all deadlines, since every server was down
 * @param runsOn processes seen after their row had ended
 * @param processes processes running at the end of the run
 * @param replayResult result of replaying old calls after the end
 * @param evidence of streams, answers and faults
 * @param replay differences found by {@code convoke replay}
 */
public record BotHistory(
    BotStateLimits deadlines,
    Map<Long, Integer> limits,
    List<BotEndState> bots,
    List<BotTransition> transitions,
    List<UserCall> userCalls,
    List<BotCall> calls,
    List<InjectedFault> injectedFaults,
    List<Instant> countedFrom,
    List<OrphanProcess> runsOn,
    List<String> processes,
    ReplayResult replayResult,
    List<String> replay,
    BotEvidence evidence) {

  /**
   * What was observed of the servers besides the bots.
   *
   * @param windows the injected faults
   * @param callbacks calls of bots with their answers
   * @param lines of transcripts, in the order in which each bot sent them first
   * @param stored lines in the database, as {@code meeting text}
   * @param published segments in events, each as often as events have it
   * @param commands answers with commands, and acknowledgements
   * @param shown what servers answered and showed
   */
  public record BotEvidence(
      List<FaultWindow> windows,
      List<TimedReply> callbacks,
      List<SentLine> lines,
      Set<String> stored,
      List<String> published,
      List<CommandExchange> commands,
      StreamRule.Streams streams,
      BotShown shown) {
    /** Nothing. */
    public static final BotEvidence NONE = of(BotShown.NONE);

    /** Only what was shown. */
    static BotEvidence of(BotShown shown) {
      return new BotEvidence(
          List.of(),
          List.of(),
          List.of(),
          Set.of(),
          List.of(),
          List.of(),
          StreamRule.Streams.NONE,
          shown);
    }
  }

  /**
   * What servers answered and showed.
   *
   * @param looks comparisons with what is right
   * @param answers to bots, those to each call oldest first
   * @param given commands that users gave
   * @param texts of commands as bots were told them, by id
   * @param lists of active bots
   * @param scheduled bots with a time to start
   */
  public record BotShown(
      List<ReadBack> looks,
      List<BotAnswer> answers,
      List<GivenCommand> given,
      Map<String, Set<String>> texts,
      List<ListedBots> lists,
      List<ScheduledStart> scheduled) {
    /** Nothing. */
    public static final BotShown NONE =
        new BotShown(List.of(), List.of(), List.of(), Map.of(), List.of(), List.of());
  }

  /**
   * A server's answer to a bot.
   *
   * @param call the bot, the name of the call and its content
   * @param state that the answer tells; empty if it tells none
   */
  public record BotAnswer(
      String connectionId,
      String call,
      Instant sent,
      Instant answered,
      int status,
      long meetingId,
      String state) {}

  /**
   * A command that a server accepted from a user.
   *
   * @param text a part of the command as its bot is told it
   */
  public record GivenCommand(
      long meetingId, String id, String text, Instant sent, Instant answered) {}

  /** A user's list of active bots. */
  public record ListedBots(long userId, Set<Long> meetings, Instant sent, Instant answered) {}

  /** A bot that is to start at a time, at the latest {@code by}, and when it was launched. */
  public record ScheduledStart(long meetingId, Instant at, Instant by, List<Instant> launches) {}

  /** From the return of the first server until an outage of all counts as over. */
  private static final Duration UP_AGAIN = Duration.ofSeconds(5);

  /** Servers wait for a connection for five seconds. */
  private static final Duration REFUSED = Duration.ofSeconds(5);

  private static final Map<String, Set<String>> EDGES =
      Map.of(
          LifecycleRule.NONE,
          Set.of("reserved"),
          "reserved",
          Set.of("starting", "failed"),
          "starting",
          Set.of("active", "stopping", "failed"),
          "active",
          Set.of("stopping", "completed", "failed"),
          "stopping",
          Set.of("completed", "failed"));

  public int operations() {
    return userCalls.size()
        + calls.size()
        + transitions.size()
        + injectedFaults.size()
        + replayResult.replays().size();
  }

  Map<Long, List<BotTransition>> transitionsByBot() {
    return transitions.stream().collect(Collectors.groupingBy(BotTransition::meetingId));
  }

  /** Callbacks of a launch that a server accepted, oldest first. */
  List<Instant> signs(String connectionId) {
    return calls.stream()
        .filter(call -> call.connectionId().equals(connectionId) && call.sign())
        .map(BotCall::at)
        .sorted()
        .toList();
  }

  /**
   * When a deadline starts at a given time: not before the end of the last outage, nor before the
   * next sweep after the death of the server that swept.
   */
  Instant counted(Instant since, Instant at) {
    return Stream.concat(
            countedFrom.stream(),
            evidence.windows().stream()
                .filter(window -> !window.target().startsWith(FaultTimeline.REDIS))
                .filter(window -> window.from().isBefore(at))
                .map(window -> window.to().plus(deadlines.slack())))
        .map(from -> from.isAfter(at) ? at : from)
        .filter(from -> from.isAfter(since))
        .max(Instant::compareTo)
        .orElse(since);
  }

  /**
   * How much of a period surely had no server: of the outages after which deadlines count anew,
   * without the time in which the first server may have been up again.
   */
  Duration withoutServer(Instant from, Instant to) {
    return evidence.windows().stream()
        .filter(window -> window.what().equals(FaultTimeline.KILL))
        .filter(window -> countedFrom.contains(window.to()))
        .map(
            window -> {
              Instant begin = window.from().isAfter(from) ? window.from() : from;
              Instant end = window.to().minus(UP_AGAIN);
              return Duration.between(begin, end.isBefore(to) ? end : to);
            })
        .filter(Duration::isPositive)
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  LifecycleRule.Lives lives() {
    return new LifecycleRule.Lives(
        "bot",
        EDGES,
        transitions.stream()
            .map(
                one ->
                    new LifecycleRule.JournaledMove(
                        one.seq(), Long.toString(one.meetingId()), one.from(), one.to()))
            .toList(),
        bots.stream()
            .collect(Collectors.toMap(bot -> Long.toString(bot.meetingId()), BotEndState::status)));
  }

  StreamRule.Streams streams() {
    return evidence.streams();
  }

  /** Users are told of their limit with 429, which {@link BotLifeRules#botLimit} judges. */
  AvailabilityRule.Calls users() {
    return new AvailabilityRule.Calls(
        userCalls.stream().map(UserCall::reply).toList(), evidence.windows(), needed(), true);
  }

  AvailabilityRule.Calls callbacks() {
    return new AvailabilityRule.Calls(evidence.callbacks(), evidence.windows(), needed(), false);
  }

  /** Calls wait for Postgres: only a long outage excuses their refusal. */
  private Set<String> needed() {
    return refusing().findAny().isPresent() ? Set.of(FaultTimeline.POSTGRES) : Set.of();
  }

  /** Times in which calls are refused: long outages of Postgres, and commits without an answer. */
  Stream<FaultWindow> refusing() {
    return evidence.windows().stream()
        .filter(window -> window.target().equals(FaultTimeline.POSTGRES))
        .filter(
            window ->
                window.what().equals(FaultTimeline.UNANSWERED)
                    || Duration.between(window.from(), window.to()).compareTo(REFUSED) > 0);
  }

  boolean touched(long meetingId) {
    return injectedFaults.stream().anyMatch(fault -> fault.meetingId() == meetingId);
  }

  /**
   * A transcript line of a launch.
   *
   * @param statuses that servers answered, whether or not the bot received them
   */
  public record SentLine(String connectionId, String text, Set<Integer> statuses) {
    private static final Set<Integer> LATER = Set.of(408, 425, 429, 500, 502, 503, 504);

    boolean acknowledged() {
      return statuses.contains(200);
    }

    /** Whether no answer was one after which a bot need not send the line again. */
    boolean open() {
      return LATER.containsAll(statuses);
    }
  }

  /**
   * A bot's call, and what it says of commands.
   *
   * @param answered when the answer came, or was given up
   * @param commands ids in the answer; empty if it has none, or is no 200
   * @param acknowledged id of the command that the call acknowledges
   */
  public record CommandExchange(
      String connectionId,
      Instant sent,
      Instant answered,
      Optional<List<String>> commands,
      Optional<String> acknowledged) {}

  /** A bot's call that a server answered, whether or not the bot received the response. */
  public record BotCall(Instant at, String connectionId, String name, int status) {

    /** Whether the call proved to the server that the bot is alive. */
    boolean sign() {
      return status == 200;
    }

    /** Whether the response was 410. */
    boolean refuses(BotEndState bot) {
      return status == 410 && connectionId.equals(bot.connectionId());
    }
  }

  /**
   * A bot's row after the run.
   *
   * @param orders rows that enqueue the meeting's post-processing
   * @param honest whether the launcher started it normally
   */
  public record BotEndState(
      long meetingId,
      long userId,
      String room,
      String status,
      String connectionId,
      Optional<Instant> startTime,
      Optional<Instant> admittedAt,
      Optional<Instant> endTime,
      Optional<Instant> stopRequestedAt,
      Optional<String> reason,
      int orders,
      boolean honest) {

    public boolean over() {
      return status.equals("completed") || status.equals("failed");
    }
  }

  /**
   * Maximum duration of each status.
   *
   * @param starting includes the time granted in the lobby
   * @param active time without a callback
   * @param stopping also the time from the stop request to the end
   * @param grace time between SIGTERM and SIGKILL
   * @param slack time until the next sweep
   */
  public record BotStateLimits(
      Duration reserved,
      Duration starting,
      Duration active,
      Duration stopping,
      Duration grace,
      Duration slack) {

    /** The deadline with slack. */
    public Duration late() {
      return grace.plus(slack);
    }
  }

  /**
   * A status transition in the journal.
   *
   * @param from empty for the first transition
   * @param at when the status changed
   * @param found state of the process when the row was ended; empty without
   */
  public record BotTransition(
      long seq,
      long meetingId,
      long userId,
      String from,
      String to,
      String reason,
      String actor,
      Instant at,
      String found) {}

  /** A fault injected into a bot's process or network path. */
  public record InjectedFault(Instant at, long meetingId, String what) {}

  /**
   * A process seen alive after its row had ended.
   *
   * @param known whether the launcher had a record of it then
   */
  public record OrphanProcess(long meetingId, Instant first, Instant last, boolean known) {}

  /**
   * Result of replaying old calls after the end.
   *
   * @param replays the calls with their responses; status 0 without a response
   * @param before every row about bots before the replay, by table
   * @param after the same rows afterwards
   */
  public record ReplayResult(
      List<BotCall> replays, Map<String, List<String>> before, Map<String, List<String>> after) {

    /** Nothing was replayed. */
    public static final ReplayResult NONE = new ReplayResult(List.of(), Map.of(), Map.of());

    /** Without the calls that a server of an earlier release does not know. */
    public ReplayResult ofKnownCalls() {
      return new ReplayResult(
          replays.stream().filter(call -> call.status() != 404).toList(), before, after);
    }
  }

  /**
   * A user's request and its response.
   *
   * @param status 0 without a response
   * @param at when it was answered
   * @param meetingId from the response; 0 without
   * @param userId who asked; 0 if that is not known
   * @param server that was asked
   */
  public record UserCall(
      Instant at,
      String what,
      String room,
      int status,
      long meetingId,
      long userId,
      String server,
      Instant sent) {
    /** A call of which only the response is known. */
    public UserCall(Instant at, String what, String room, int status, long meetingId) {
      this(at, what, room, status, meetingId, 0, "", at);
    }

    TimedReply reply() {
      return new TimedReply(what + " of " + room, server, status, sent, at);
    }
  }
}
