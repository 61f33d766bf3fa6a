package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.QueueScan.QueueKind;
import io.convoke.engine.wake.WakeChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A queue as its claims and writes see it: with waking, or without when long polling is off. */
interface QueueHandle {
  /** For the next claim. */
  String token();

  WakeChannel channel();

  ClaimWatermark floor();

  /** Whether everything new is announced, so that what was seen to be empty stays so. */
  boolean announced();

  /** How far ahead of its time an item may be claimed. */
  Duration grace();

  /** Something was committed. */
  void wrote(Instant visibleAt);

  /** The same, and the writer has told the other nodes, through this server process. */
  void wroteAndTold(Instant visibleAt, int voice);

  /** The channel on which a writer is to tell other nodes, if that is left to it now. */
  Optional<String> tellingOn();

  void wakeAt(long due);

  /** Something was claimed whose lock ends at an instant of the monotonic clock. */
  void lockedUntil(long end);

  /** The same for what was locked when it was written, so that no other node was told of it. */
  void locked(long end);

  /** A claim found nothing: others may hold what there is, and die with it. */
  void sawNothing();

  /** Long polling is off: nobody waits, so nobody is woken. */
  static QueueHandle silent(NodeIdentity nodeIdentity) {
    WakeChannel channel = new WakeChannel(1);
    ClaimWatermark claimWatermark = new ClaimWatermark();
    return new QueueHandle() {
      @Override
      public String token() {
        return nodeIdentity.token();
      }

      @Override
      public WakeChannel channel() {
        return channel;
      }

      @Override
      public ClaimWatermark floor() {
        return claimWatermark;
      }

      @Override
      public boolean announced() {
        return false;
      }

      @Override
      public Duration grace() {
        return Duration.ZERO;
      }

      @Override
      public void wrote(Instant visibleAt) {}

      @Override
      public void wroteAndTold(Instant visibleAt, int voice) {}

      @Override
      public Optional<String> tellingOn() {
        return Optional.empty();
      }

      @Override
      public void wakeAt(long due) {}

      @Override
      public void lockedUntil(long end) {}

      @Override
      public void locked(long end) {}

      @Override
      public void sawNothing() {}
    };
  }

  /** One of the two queues of a node that waits, or a pool of the second. */
  record NotifiedQueue(QueueNotifier waking, QueueKind queue, QueueSignals wake, Duration grace)
      implements QueueHandle {
    @Override
    public String token() {
      return waking.node().token();
    }

    @Override
    public WakeChannel channel() {
      return wake.channel();
    }

    @Override
    public ClaimWatermark floor() {
      return wake.floor();
    }

    @Override
    public boolean announced() {
      return waking.announced();
    }

    @Override
    public void wrote(Instant visibleAt) {
      waking.wrote(queue, visibleAt);
    }

    @Override
    public void wroteAndTold(Instant visibleAt, int voice) {
      waking.wroteAndTold(queue, visibleAt, voice);
    }

    @Override
    public Optional<String> tellingOn() {
      return waking.leavesItToWriter() ? Optional.of(waking.channel(queue)) : Optional.empty();
    }

    @Override
    public void wakeAt(long due) {
      waking.wakeAt(queue, due);
    }

    @Override
    public void lockedUntil(long end) {
      waking.lockedUntil(end);
    }

    @Override
    public void locked(long end) {
      waking.lockedUntil(end);
      waking.onLocksHeld();
    }

    @Override
    public void sawNothing() {
      waking.heardOfOthers();
    }
  }
}
