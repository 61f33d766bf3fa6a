package io.convoke.server.presence;

import io.convoke.engine.journal.NewEvent;
import io.convoke.engine.lease.Lease;
import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.lease.LeaseLost;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.platform.Outage;
import io.convoke.server.platform.Platform;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.PresenceRepository.Committed;
import io.convoke.server.presence.PresenceRepository.Over;
import io.convoke.server.presence.PresenceRepository.RaisedEpoch;
import io.convoke.server.presence.PresenceRepository.Stale;
import io.convoke.server.presence.ReadyQueue.Claim;
import io.convoke.server.presence.ReadyQueue.Outcome;
import io.convoke.server.presence.merge.Decision.Change;
import io.convoke.server.presence.merge.Source;
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
 * Serves one claimed meeting: commits the evidence at once, and for a poll asks the platform,
 * commits what it shows and ends the claim. Whatever fails leaves the meeting due.
 */
final class MeetingPoller {
  private static final Logger log = LoggerFactory.getLogger(MeetingPoller.class);
  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration BACKOFF_MAX = Duration.ofSeconds(30);

  private final ReadyQueue queue;
  private final RoomMap rooms;
  private final LeaseKeeper leases;
  private final PresenceRepository repository;
  private final Platform platform;
  private final PresenceMeters meters;
  private final PresenceSignals signals;
  private final InstantSource time;

  /** Bounded by the number of claims that a node holds at once. */
  private final ConcurrentLinkedQueue<Unended> unended = new ConcurrentLinkedQueue<>();

  private record Unended(Claim claim, Served served) {}

  /** How serving a meeting ended; the meeting as it was, if it was polled. */
  private record Served(Outcome outcome, Optional<Meeting> polled) {
    static Served of(Outcome outcome) {
      return new Served(outcome, Optional.empty());
    }
  }

  MeetingPoller(
      ReadyQueue queue,
      RoomMap rooms,
      LeaseKeeper leases,
      PresenceRepository repository,
      Platform platform,
      PresenceMeters meters,
      PresenceSignals signals,
      InstantSource time) {
    this.queue = queue;
    this.rooms = rooms;
    this.leases = leases;
    this.repository = repository;
    this.platform = platform;
    this.meters = meters;
    this.signals = signals;
    this.time = time;
  }

  /** Serves a claim that came from Redis. */
  void serve(Claim claim) {
    Lease lease =
        leases.adopt(
            Keys.pollLock(claim.meeting()),
            claim.token(),
            claim.epoch(),
            PresenceTerms.POLL_LEASE,
            claim.sentNanos());
    try {
      Served served = lease.guard(() -> serveClaimed(claim));
      lease.surrendered();
      unended.add(new Unended(claim, served));
      end();
    } catch (LeaseLost lost) {
      log.warn("gave up meeting {}: {}", claim.meeting(), lost.getMessage());
    } catch (RedisUnavailable away) {
      log.info("Redis went away under meeting {}; it stays due", claim.meeting());
    } catch (Exception bug) {
      log.error("serving meeting {} failed", claim.meeting(), bug);
      lease.close();
    }
  }

  /** Ends the claims that are done; those that Redis did not hear of wait for the next call. */
  void end() {
    for (Unended done = unended.poll(); done != null; done = unended.poll()) {
      try {
        switch (queue.end(done.claim(), done.served().outcome())) {
          case DONE -> {}
          case LOST -> log.info("the claim of meeting {} was taken over", done.claim().meeting());
          case ASKED_AGAIN -> askedAgain(done.served());
        }
      } catch (RedisUnavailable away) {
        unended.add(done);
        throw away;
      }
      signals
          .ended()
          .emit(
              new PresenceSignals.Ended(
                  done.claim().meeting(), done.claim().poll(), done.served().outcome()));
    }
  }

  private void askedAgain(Served served) {
    meters.askedAgain();
    append(served.polled().map(PollEvents::askedAgain));
  }

  /** The timeline is for people; an event that cannot be written is left out. */
  private void append(Optional<NewEvent> event) {
    try {
      event.ifPresent(repository::append);
    } catch (StoreUnavailable | SqlFailure away) {
      log.debug("an event is missing in the timeline: {}", away.getMessage());
    }
  }

  /** Polls a meeting of the database's due list, without Redis; the epoch alone fences it. */
  void serveAlone(long meeting) {
    try {
      Served served = poll(meeting, repository.raise(meeting), Trigger.RECOVERY, 0);
      signals.alone().emit(new PresenceSignals.Ended(meeting, true, served.outcome()));
    } catch (StoreUnavailable | SqlFailure away) {
      log.info("the database could not serve meeting {}: {}", meeting, away.getMessage());
    }
  }

  /** Commits the evidence; a poll goes on with the epoch that this commit raised. */
  private Served serveClaimed(Claim claim) {
    long id = claim.meeting();
    try {
      if (claim.evidence().isEmpty()) {
        return claim.poll()
            ? poll(id, repository.raise(id), claim.trigger(), claim.fails())
            : Served.of(new Outcome.Served(Optional.empty()));
      }
      return switch (repository.commit(id, claim.evidence(), Optional.empty(), Source.WEBHOOK)) {
        case Committed(RaisedEpoch epoch, List<Change> changes, Optional<Instant> _) -> {
          meters.changed(changes);
          signals.committed().emit(id);
          yield claim.poll()
              ? poll(id, Optional.of(epoch), claim.trigger(), claim.fails())
              : Served.of(new Outcome.Served(Optional.empty()));
        }
        case Over over -> Served.of(gone(over));
      };
    } catch (StoreUnavailable | SqlFailure away) {
      log.info("the database could not serve meeting {}: {}", claim.meeting(), away.getMessage());
      return Served.of(new Outcome.Failed(backoff(claim.fails(), Optional.empty())));
    }
  }

  private Served poll(long id, Optional<RaisedEpoch> epoch, Trigger trigger, int fails) {
    if (epoch.isEmpty() || !epoch.get().meeting().live()) {
      return Served.of(gone(repository.finish(id, List.of())));
    }
    Meeting meeting = epoch.get().meeting();
    long asked = System.nanoTime();
    RoomPresence snapshot = platform.presence(meeting.room());
    PollEvents.Poll poll =
        new PollEvents.Poll(trigger, Duration.ofNanos(System.nanoTime() - asked), fails);
    Outcome outcome =
        snapshot instanceof RoomPresence.Unknown(Outage outage, Instant _)
            ? failed(meeting, poll, outage)
            : committed(epoch.get(), snapshot, poll);
    return new Served(outcome, Optional.of(meeting));
  }

  /** What our own budget refuses is no news of the meeting. */
  private Outcome failed(Meeting meeting, PollEvents.Poll poll, Outage outage) {
    meters.polled(outage.cause().name());
    if (outage.cause() == Outage.Cause.RATE_LIMITED && outage.retryAfter().isPresent()) {
      return new Outcome.Refused(spread(outage.retryAfter().get()));
    }
    Duration retryIn = backoff(poll.fails(), outage.retryAfter());
    append(
        PollEvents.failed(meeting, poll, outage.cause().name().toLowerCase(Locale.ROOT), retryIn));
    return new Outcome.Failed(retryIn);
  }

  private Outcome committed(RaisedEpoch epoch, RoomPresence snapshot, PollEvents.Poll poll) {
    return switch (repository.commit(epoch, snapshot, poll)) {
      case Committed(RaisedEpoch _, List<Change> changes, Optional<Instant> confirmAt) -> {
        meters.polled("OK");
        meters.changed(changes);
        signals.polled().emit(epoch.meeting().id());
        yield new Outcome.Served(confirmAt.map(this::until));
      }
      case Stale _ -> {
        meters.polled("STALE");
        log.warn("refused a stale write to meeting {}", epoch.meeting().id());
        yield new Outcome.Failed(BACKOFF);
      }
    };
  }

  private Outcome gone(Over over) {
    meters.changed(over.changes());
    try {
      over.meeting().ifPresent(it -> rooms.remove(List.of(it.entry())));
    } catch (RedisUnavailable away) {
      log.debug("the map of rooms is corrected when Redis is back");
    }
    return new Outcome.Gone();
  }

  private Duration until(Instant at) {
    Duration wait = Duration.between(time.instant(), at);
    return wait.isNegative() ? Duration.ZERO : wait;
  }

  /** Doubles with each failure in a row, spread by a fifth, never below what the platform asks. */
  static Duration backoff(int fails, Optional<Duration> atLeast) {
    long base = Math.min(BACKOFF_MAX.toMillis(), BACKOFF.toMillis() << Math.min(fails, 10));
    Duration spread = spread(Duration.ofMillis(base));
    return atLeast.filter(wait -> wait.compareTo(spread) > 0).orElse(spread);
  }

  /** Up to a fifth longer, so that those who wait do not come back together. */
  private static Duration spread(Duration wait) {
    return wait.plusMillis(ThreadLocalRandom.current().nextLong(wait.toMillis() / 5 + 1));
  }
}
