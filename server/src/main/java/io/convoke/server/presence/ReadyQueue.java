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
 * The queue of due meetings in Redis. A claim takes lease, flag and pending events atomically;
 * releasing it makes the meeting due again if anything arrived meanwhile.
 */
final class ReadyQueue {
  private static final LuaScript CLAIM = LuaScript.resource(ReadyQueue.class, "claim.lua");
  private static final LuaScript END_CLAIM = LuaScript.resource(ReadyQueue.class, "end_claim.lua");
  private static final LuaScript REQUEST = LuaScript.resource(ReadyQueue.class, "request.lua");

  /** A claimed meeting becomes due again after this, in case its holder died. */
  private static final Duration RECHECK = Duration.ofSeconds(5);

  /** A node without a heartbeat for this long loses its leases; the epoch fences its writes. */
  private static final Duration NODE_ALIVE = Duration.ofSeconds(5);

  /** Heartbeat interval of a node that holds claims; {@link #claim} is a heartbeat too. */
  static final Duration BEAT = Duration.ofMillis(1500);

  /** Meetings in one call of request.lua. */
  private static final int REQUEST_BATCH = 500;

  /** Leased meetings that one claim skips at most. */
  private static final int TRIES = 20;

  private final Redis redis;
  private final PlatformKeys keys;
  private final String process;
  private final Duration minPollInterval;
  private final AtomicInteger unheard = new AtomicInteger();

  /** {@code process} is the id of this process, unique per start. */
  ReadyQueue(Redis redis, PlatformKeys keys, String process, Duration minPollInterval) {
    this.redis = redis;
    this.keys = keys;
    this.process = process;
    this.minPollInterval = minPollInterval;
  }

  /** The result of a claim. */
  sealed interface NextClaim {

    /** Number of unrouted events and dead letters. */
    long unrouted();

    /**
     * No meeting is due; {@code nextIn} is the time to the next due one, empty when none is queued.
     */
    record NoMeetingDue(Optional<Duration> nextIn, long unrouted) implements NextClaim {}

    record MeetingClaimed(MeetingClaim claim, long unrouted) implements NextClaim {}
  }

  /** A meeting claimed by this process. */
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

    /** The poll stored nothing; the events of the claim are committed. */
    record ClaimPollFailed(Duration retryIn) implements ClaimOutcome {}

    /** Postgres failed: the events of the claim stay, and all events wait as long as the poll. */
    record ClaimNotStored(Duration retryIn) implements ClaimOutcome {}

    /** The platform or the rate limiter set the retry time: not a failure, so no longer backoff. */
    record ClaimRateLimited(Duration retryIn) implements ClaimOutcome {}

    /** The meeting is over; its keys are deleted. */
    record ClaimMeetingOver() implements ClaimOutcome {}
  }

  /**
   * Claims a due meeting. If the response is lost, this process may hold a lease it does not know
   * of; it therefore continues under a new node id, and the leases of the former id expire like
   * those of a dead node. If such a meeting is still being processed, the row's epoch fences the
   * slower writer.
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
                  keys.of(PresenceKeys.READY),
                  keys.of(PresenceKeys.WAKE),
                  LeaseRenewer.EPOCH_KEY,
                  keys.of(PresenceKeys.UNROUTED),
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

  /** The result of releasing a claim. */
  enum ClaimReleaseResult {
    /** The lease was lost; nothing was changed. */
    LOST,
    DONE,
    /** A poll was requested while this one ran. */
    ASKED_AGAIN
  }

  /** Releases a claim. */
  ClaimReleaseResult end(MeetingClaim meetingClaim, ClaimOutcome claimOutcome) {
    Optional<Duration> confirm =
        claimOutcome instanceof ClaimOutcome.ClaimServed(Optional<Duration> in)
            ? in
            : Optional.empty();
    Duration retry =
        switch (claimOutcome) {
          case ClaimOutcome.ClaimPollFailed(Duration in) -> in;
          case ClaimOutcome.ClaimNotStored(Duration in) -> in;
          case ClaimOutcome.ClaimRateLimited(Duration in) -> in;
          case ClaimOutcome.ClaimServed _, ClaimOutcome.ClaimMeetingOver _ -> Duration.ZERO;
        };
    Object answer =
        redis.eval(
            END_CLAIM,
            List.of(keys.of(PresenceKeys.READY), keys.of(PresenceKeys.WAKE)),
            List.of(
                Long.toString(meetingClaim.meeting()),
                meetingClaim.token(),
                meetingClaim.poll() ? "poll" : "evidence",
                switch (claimOutcome) {
                  case ClaimOutcome.ClaimServed _ -> "ok";
                  case ClaimOutcome.ClaimPollFailed _ -> "failed";
                  case ClaimOutcome.ClaimNotStored _ -> "unstored";
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
   * Flags meetings that became live. Every node sees the change; only the first call has an effect.
   *
   * @param moves journal sequence number of the last status change, by meeting
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
      Object _ =
          redis.eval(
              REQUEST, List.of(keys.of(PresenceKeys.READY), keys.of(PresenceKeys.WAKE)), args);
    }
  }

  /** Wakes one waiting node. */
  void wake() {
    long _ = redis.call(commands -> commands.rpush(keys.of(PresenceKeys.WAKE), "1"));
  }

  /** Waits for the wake token on a dedicated connection, at most for {@code atMost}. */
  void await(StatefulRedisConnection<String, String> connection, Duration atMost) {
    double seconds = Math.max(1, atMost.toMillis()) / 1000.0;
    Object _ = connection.sync().blpop(seconds, keys.of(PresenceKeys.WAKE));
  }

  private String node() {
    int before = unheard.get();
    return before == 0 ? process : process + "." + before;
  }

  /** Sends a heartbeat; only needed while this node holds claims. */
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
