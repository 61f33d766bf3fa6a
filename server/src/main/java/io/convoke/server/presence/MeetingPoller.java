package io.convoke.server.presence;

import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.lease.Lease;
import io.convoke.engine.lease.LeaseLost;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.platform.PlatformClient;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.PresenceRepository.Committed;
import io.convoke.server.presence.PresenceRepository.Over;
import io.convoke.server.presence.PresenceRepository.RaisedEpoch;
import io.convoke.server.presence.PresenceRepository.Stale;
import io.convoke.server.presence.ReadyQueue.ClaimOutcome;
import io.convoke.server.presence.ReadyQueue.MeetingClaim;
import io.convoke.server.presence.merge.ChangeSource;
import io.convoke.server.presence.merge.MergeDecision.PresenceChange;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes one claimed meeting: commits its pending events; for a poll also queries the platform
 * and commits the snapshot; then releases the claim. After a failure the meeting stays due.
 */
final class MeetingPoller {
  private static final Logger log = LoggerFactory.getLogger(MeetingPoller.class);
  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration BACKOFF_MAX = Duration.ofSeconds(30);

  private final ReadyQueue queue;
  private final RoomMap rooms;
  private final LeaseRenewer leases;
  private final PresenceRepository repository;
  private final PlatformClient platformClient;
  private final PresenceMetrics meters;
  private final PresenceTestSignals signals;
  private final InstantSource time;

  /** Claims whose release is not confirmed; at most as many as the node holds at once. */
  private final ConcurrentLinkedQueue<Unended> unended = new ConcurrentLinkedQueue<>();

  private record Unended(MeetingClaim claim, Served served) {}

  /** The outcome of a claim, and the meeting if it was polled. */
  private record Served(ClaimOutcome outcome, Optional<PresenceMeeting> polled) {
    static Served of(ClaimOutcome claimOutcome) {
      return new Served(claimOutcome, Optional.empty());
    }
  }

  MeetingPoller(
      ReadyQueue queue,
      RoomMap rooms,
      LeaseRenewer leases,
      PresenceRepository repository,
      PlatformClient platformClient,
      PresenceMetrics meters,
      PresenceTestSignals signals,
      InstantSource time) {
    this.queue = queue;
    this.rooms = rooms;
    this.leases = leases;
    this.repository = repository;
    this.platformClient = platformClient;
    this.meters = meters;
    this.signals = signals;
    this.time = time;
  }

  /** Processes a claim from Redis. */
  void serve(MeetingClaim meetingClaim) {
    Lease lease =
        leases.register(
            PresenceKeys.pollLock(meetingClaim.meeting()),
            meetingClaim.token(),
            meetingClaim.epoch(),
            PresenceConfig.POLL_LEASE,
            meetingClaim.sentNanos());
    try {
      Served served = lease.guard(() -> serveClaimed(meetingClaim));
      lease.surrendered();
      unended.add(new Unended(meetingClaim, served));
      end();
    } catch (LeaseLost lost) {
      log.warn("Lease of meeting {} lost: {}", meetingClaim.meeting(), lost.getMessage());
    } catch (RedisUnavailable away) {
      log.info(
          "Redis unreachable while processing meeting {}; it stays due", meetingClaim.meeting());
    } catch (Exception bug) {
      log.error("Processing meeting {} failed", meetingClaim.meeting(), bug);
      lease.close();
    }
  }

  /** Releases finished claims; those that Redis did not confirm are retried on the next call. */
  void end() {
    for (Unended done = unended.poll(); done != null; done = unended.poll()) {
      try {
        switch (queue.end(done.claim(), done.served().outcome())) {
          case DONE -> {}
          case LOST -> log.info("Claim of meeting {} was taken over", done.claim().meeting());
          case ASKED_AGAIN -> askedAgain(done.served());
        }
      } catch (RedisUnavailable away) {
        unended.add(done);
        throw away;
      }
      signals
          .ended()
          .emit(
              new PresenceTestSignals.ClaimEnded(
                  done.claim().meeting(), done.claim().poll(), done.served().outcome()));
    }
  }

  private void askedAgain(Served served) {
    meters.recordPollRetry();
    append(served.polled().map(PollJournal::pollRequested));
  }

  /** Appends to the meeting's timeline; an event that cannot be written is dropped. */
  private void append(Optional<NewJournalEvent> event) {
    try {
      event.ifPresent(repository::append);
    } catch (StoreUnavailable | SqlFailure away) {
      log.debug("Timeline event dropped: {}", away.getMessage());
    }
  }

  /** Polls a meeting from the due list in Postgres, without Redis; only the epoch fences it. */
  void serveAlone(long meeting) {
    try {
      Served served = poll(meeting, repository.raise(meeting), PollReason.RECOVERY, 0);
      retryIn(served.outcome()).ifPresent(wait -> repository.retry(meeting, wait));
      signals.alone().emit(new PresenceTestSignals.ClaimEnded(meeting, true, served.outcome()));
    } catch (StoreUnavailable | SqlFailure away) {
      log.info("the database could not serve meeting {}: {}", meeting, away.getMessage());
    }
  }

  /** Time to wait after a poll that stored nothing; one that did stored when it is due. */
  private static Optional<Duration> retryIn(ClaimOutcome outcome) {
    return switch (outcome) {
      case ClaimOutcome.ClaimPollFailed(Duration wait) -> Optional.of(wait);
      case ClaimOutcome.ClaimNotStored(Duration wait) -> Optional.of(wait);
      case ClaimOutcome.ClaimRateLimited(Duration wait) -> Optional.of(wait);
      case ClaimOutcome.ClaimServed _, ClaimOutcome.ClaimMeetingOver _ -> Optional.empty();
    };
  }

  /** Commits the pending events; a poll reuses the epoch that this commit raised. */
  private Served serveClaimed(MeetingClaim meetingClaim) {
    long id = meetingClaim.meeting();
    try {
      if (meetingClaim.evidence().isEmpty()) {
        return meetingClaim.poll()
            ? poll(id, repository.raise(id), meetingClaim.trigger(), meetingClaim.fails())
            : Served.of(new ClaimOutcome.ClaimServed(Optional.empty()));
      }
      return switch (repository.commit(
          id, meetingClaim.evidence(), Optional.empty(), ChangeSource.WEBHOOK)) {
        case Committed(RaisedEpoch epoch, List<PresenceChange> changes, Optional<Instant> _) -> {
          meters.changed(changes);
          signals.committed().emit(id);
          yield meetingClaim.poll()
              ? poll(id, Optional.of(epoch), meetingClaim.trigger(), meetingClaim.fails())
              : Served.of(new ClaimOutcome.ClaimServed(Optional.empty()));
        }
        case Over over -> Served.of(gone(over));
      };
    } catch (StoreUnavailable | SqlFailure away) {
      log.info(
          "the database could not serve meeting {}: {}", meetingClaim.meeting(), away.getMessage());
      return Served.of(
          new ClaimOutcome.ClaimNotStored(backoff(meetingClaim.fails(), Optional.empty())));
    }
  }

  private Served poll(long id, Optional<RaisedEpoch> epoch, PollReason pollReason, int fails) {
    if (epoch.isEmpty() || !epoch.get().meeting().live()) {
      return Served.of(gone(repository.finish(id, List.of())));
    }
    PresenceMeeting presenceMeeting = epoch.get().meeting();
    long asked = System.nanoTime();
    RoomPresence snapshot = platformClient.presence(presenceMeeting.room());
    PollJournal.PollRecord pollRecord =
        new PollJournal.PollRecord(pollReason, Duration.ofNanos(System.nanoTime() - asked), fails);
    ClaimOutcome claimOutcome =
        snapshot instanceof RoomPresence.RoomPresenceUnknown(PlatformError platformError, Instant _)
            ? failed(presenceMeeting, pollRecord, platformError)
            : committed(epoch.get(), snapshot, pollRecord);
    return new Served(claimOutcome, Optional.of(presenceMeeting));
  }

  /**
   * Handles a failed platform call; a refusal by the rate limiter is not journaled and does not
   * increase the backoff.
   */
  private ClaimOutcome failed(
      PresenceMeeting presenceMeeting,
      PollJournal.PollRecord pollRecord,
      PlatformError platformError) {
    meters.polled(platformError.cause().name());
    if (platformError.cause() == PlatformError.PlatformErrorKind.RATE_LIMITED
        && platformError.retryAfter().isPresent()) {
      return new ClaimOutcome.ClaimRateLimited(spread(platformError.retryAfter().get()));
    }
    Duration retryIn = backoff(pollRecord.fails(), platformError.retryAfter());
    append(
        PollJournal.failed(
            presenceMeeting,
            pollRecord,
            platformError.cause().name().toLowerCase(Locale.ROOT),
            retryIn));
    return new ClaimOutcome.ClaimPollFailed(retryIn);
  }

  private ClaimOutcome committed(
      RaisedEpoch epoch, RoomPresence snapshot, PollJournal.PollRecord pollRecord) {
    return switch (repository.commit(epoch, snapshot, pollRecord)) {
      case Committed(RaisedEpoch _, List<PresenceChange> changes, Optional<Instant> confirmAt) -> {
        meters.polled("OK");
        meters.changed(changes);
        signals.polled().emit(epoch.meeting().id());
        yield new ClaimOutcome.ClaimServed(confirmAt.map(this::until));
      }
      case Stale _ -> {
        meters.polled("STALE");
        log.warn("Stale epoch: write to meeting {} rejected", epoch.meeting().id());
        yield new ClaimOutcome.ClaimPollFailed(BACKOFF);
      }
    };
  }

  private ClaimOutcome gone(Over over) {
    meters.changed(over.changes());
    try {
      over.meeting().ifPresent(it -> rooms.remove(List.of(it.entry())));
    } catch (RedisUnavailable away) {
      log.debug("Redis unreachable: room map not updated; fixed at recovery");
    }
    return new ClaimOutcome.ClaimMeetingOver();
  }

  private Duration until(Instant at) {
    Duration wait = Duration.between(time.instant(), at);
    return wait.isNegative() ? Duration.ZERO : wait;
  }

  /** Exponential backoff with up to 20 % jitter, never below the platform's {@code Retry-After}. */
  static Duration backoff(int fails, Optional<Duration> atLeast) {
    long base = Math.min(BACKOFF_MAX.toMillis(), BACKOFF.toMillis() << Math.min(fails, 10));
    Duration spread = spread(Duration.ofMillis(base));
    return atLeast.filter(wait -> wait.compareTo(spread) > 0).orElse(spread);
  }

  /** Adds up to 20 % jitter, so that retries do not coincide. */
  private static Duration spread(Duration wait) {
    return wait.plusMillis(ThreadLocalRandom.current().nextLong(wait.toMillis() / 5 + 1));
  }
}
