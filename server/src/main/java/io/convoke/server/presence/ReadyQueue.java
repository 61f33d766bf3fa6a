package io.convoke.server.presence;

import io.convoke.engine.json.Json;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.server.platform.PresenceEvent;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The meetings that are due, in Redis. Claiming takes lease, flag and evidence in one step; ending
 * a claim makes the meeting due again if anything happened meanwhile.
 */
final class ReadyQueue {
  private static final LuaScript CLAIM = LuaScript.resource(ReadyQueue.class, "claim.lua");
  private static final LuaScript SERVED = LuaScript.resource(ReadyQueue.class, "served.lua");
  private static final LuaScript REQUEST = LuaScript.resource(ReadyQueue.class, "request.lua");

  /** A claimed meeting is looked at again after this, in case its holder died. */
  private static final Duration RECHECK = Duration.ofSeconds(5);

  /**
   * A node that was not heard of for this long lost its leases; the epoch fences what it writes.
   */
  private static final Duration NODE_ALIVE = Duration.ofSeconds(5);

  /** How often a node that holds claims says that it lives: {@link #claim} says it too. */
  static final Duration BEAT = Duration.ofMillis(1500);

  /** Meetings in one call of request.lua. */
  private static final int REQUEST_BATCH = 500;

  /** Held meetings that one claim steps over. */
  private static final int TRIES = 20;

  private final Redis redis;
  private final String process;
  private final Duration minPollInterval;
  private final AtomicInteger unheard = new AtomicInteger();

  /** {@code process} names this process for the length of its life. */
  ReadyQueue(Redis redis, String process, Duration minPollInterval) {
    this.redis = redis;
    this.process = process;
    this.minPollInterval = minPollInterval;
  }

  /** What the queue has for a worker. */
  sealed interface NextClaim {

    /** Events or letters that wait to be routed. */
    long unrouted();

    /** Nothing now; {@code nextIn} is when the next meeting is due, empty when none is queued. */
    record NoMeetingDue(Optional<Duration> nextIn, long unrouted) implements NextClaim {}

    record MeetingClaimed(MeetingClaim claim, long unrouted) implements NextClaim {}
  }

  /** A meeting that is ours. */
  record MeetingClaim(
      long meeting,
      boolean poll,
      long dirty,
      long epoch,
      PollReason trigger,
      int fails,
      List<PresenceEvent> evidence,
      String token,
      long sentNanos) {}

  /** How a claim ended. */
  sealed interface ClaimOutcome {
    record ClaimServed(Optional<Duration> confirmIn) implements ClaimOutcome {}

    record ClaimPollFailed(Duration retryIn) implements ClaimOutcome {}

    /**
     * The platform or our budget for it said when to ask: no failure, so no longer wait next time.
     */
    record ClaimRateLimited(Duration retryIn) implements ClaimOutcome {}

    /** The meeting is over; nothing of it stays in Redis. */
    record ClaimMeetingOver() implements ClaimOutcome {}
  }

  /**
   * Takes a due meeting. When the answer gets lost, a meeting may be ours that we do not know of,
   * so from then on this process is another node to Redis, and what the former one holds is taken
   * over like a dead one's. If that is still being worked on, the row's epoch refuses whoever is
   * slower.
   */
  NextClaim claim() {
    String node = node();
    String token = "presence:" + node + ":" + UUID.randomUUID();
    long sent = System.nanoTime();
    Object answer;
    try {
      answer =
          redis.eval(
              CLAIM,
              List.of(
                  PresenceKeys.READY,
                  PresenceKeys.WAKE,
                  LeaseRenewer.EPOCH_KEY,
                  PresenceKeys.UNROUTED,
                  PresenceKeys.node(node)),
              List.of(
                  token,
                  millis(PresenceConfig.POLL_LEASE.timeout()),
                  millis(RECHECK),
                  millis(NODE_ALIVE),
                  millis(minPollInterval),
                  Integer.toString(TRIES)));
    } catch (RedisUnavailable lost) {
      int _ = unheard.incrementAndGet();
      throw lost;
    }
    if (!(answer instanceof List<?> fields)) {
      throw new IllegalStateException("claim.lua answered " + answer);
    }
    if (text(fields, 0).equals("idle")) {
      long wait = number(fields, 1);
      return new NextClaim.NoMeetingDue(
          wait < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(wait)), number(fields, 2));
    }
    List<PresenceEvent> evidence =
        fields.stream()
            .skip(7)
            .map(event -> Json.read(String.valueOf(event), PresenceEvent.class))
            .toList();
    return new NextClaim.MeetingClaimed(
        new MeetingClaim(
            Long.parseLong(text(fields, 1)),
            text(fields, 0).equals("poll"),
            number(fields, 2),
            number(fields, 3),
            PollReason.of(text(fields, 4)),
            Math.toIntExact(number(fields, 5)),
            evidence,
            token,
            sent),
        number(fields, 6));
  }

  /** How a claim was ended. */
  enum ClaimReleaseResult {
    /** The lease was not ours any more; nothing was changed. */
    LOST,
    DONE,
    /** Somebody asked for a poll while this one ran. */
    ASKED_AGAIN
  }

  /** Ends a claim. */
  ClaimReleaseResult end(MeetingClaim meetingClaim, ClaimOutcome claimOutcome) {
    Optional<Duration> confirm =
        claimOutcome instanceof ClaimOutcome.ClaimServed(Optional<Duration> in)
            ? in
            : Optional.empty();
    Duration retry =
        switch (claimOutcome) {
          case ClaimOutcome.ClaimPollFailed(Duration in) -> in;
          case ClaimOutcome.ClaimRateLimited(Duration in) -> in;
          case ClaimOutcome.ClaimServed _, ClaimOutcome.ClaimMeetingOver _ -> Duration.ZERO;
        };
    Object answer =
        redis.eval(
            SERVED,
            List.of(PresenceKeys.READY, PresenceKeys.WAKE),
            List.of(
                Long.toString(meetingClaim.meeting()),
                meetingClaim.token(),
                meetingClaim.poll() ? "poll" : "evidence",
                switch (claimOutcome) {
                  case ClaimOutcome.ClaimServed _ -> "ok";
                  case ClaimOutcome.ClaimPollFailed _ -> "failed";
                  case ClaimOutcome.ClaimRateLimited _ -> "refused";
                  case ClaimOutcome.ClaimMeetingOver _ -> "gone";
                },
                Long.toString(meetingClaim.dirty()),
                Integer.toString(meetingClaim.evidence().size()),
                confirm.map(ReadyQueue::millis).orElse("-1"),
                millis(retry)));
    if (!(answer instanceof List<?> fields) || number(fields, 0) == -2) {
      return ClaimReleaseResult.LOST;
    }
    return number(fields, 1) == 1 ? ClaimReleaseResult.ASKED_AGAIN : ClaimReleaseResult.DONE;
  }

  /** Flags meetings and makes them due. */
  void request(PollReason pollReason, Collection<Long> meetings) {
    request(pollReason, meetings.stream().map(meeting -> List.of(meeting.toString())).toList());
  }

  /**
   * Flags meetings that came to life. Every node hears of it, and the first one's word is enough.
   *
   * @param moves by meeting the journal's number of its last move
   */
  void begin(Map<Long, Long> moves) {
    request(
        PollReason.START,
        moves.entrySet().stream()
            .map(move -> List.of(move.getKey().toString(), move.getValue().toString()))
            .toList());
  }

  private void request(PollReason pollReason, List<List<String>> meetings) {
    for (int from = 0; from < meetings.size(); from += REQUEST_BATCH) {
      List<String> args = new ArrayList<>();
      args.add(pollReason.text());
      meetings.subList(from, Math.min(meetings.size(), from + REQUEST_BATCH)).forEach(args::addAll);
      Object _ = redis.eval(REQUEST, List.of(PresenceKeys.READY, PresenceKeys.WAKE), args);
    }
  }

  /** Makes one waiting node look. */
  void wake() {
    long _ = redis.call(commands -> commands.rpush(PresenceKeys.WAKE, "1"));
  }

  /** Waits for the wake token on a connection of its own, at most for {@code atMost}. */
  static void await(StatefulRedisConnection<String, String> connection, Duration atMost) {
    double seconds = Math.max(1, atMost.toMillis()) / 1000.0;
    Object _ = connection.sync().blpop(seconds, PresenceKeys.WAKE);
  }

  private String node() {
    int before = unheard.get();
    return before == 0 ? process : process + "." + before;
  }

  /** Says that this node lives; only needed while it holds claims. */
  void heartbeat() {
    String _ =
        redis.call(
            commands ->
                commands.set(
                    PresenceKeys.node(node()), "1", SetArgs.Builder.px(NODE_ALIVE.toMillis())));
  }

  private static String millis(Duration duration) {
    return Long.toString(duration.toMillis());
  }

  private static String text(List<?> fields, int index) {
    return String.valueOf(fields.get(index));
  }

  private static long number(List<?> fields, int index) {
    return fields.get(index) instanceof Long number ? number : Long.parseLong(text(fields, index));
  }
}
