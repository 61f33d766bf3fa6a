package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.NewWorkNotifier.Announcement;
import io.convoke.engine.durable.provider.EndAnnouncements;
import io.convoke.engine.wake.PostgresListener.NotificationReceiver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Announces ended instances over NOTIFY: a node that awaits some notifies one channel three times a
 * minute, and each node that heard this notifies another channel of what ends there, many instances
 * at once.
 */
final class EndNotifier implements EndAnnouncements {
  private static final Duration WANTED_FOR = Duration.ofMinutes(1);
  private static final Duration REQUEST_EVERY = Duration.ofSeconds(20);

  /** Each takes up to 17 of the 7,999 bytes that a notification may have. */
  private static final int KEYS_MAX = 400;

  /**
   * Keys that are kept while none can be announced; the queries of those who wait find the others.
   */
  static final int ENDED_MAX = 100 * KEYS_MAX;

  private static final Pattern SPACE = Pattern.compile(" ");

  private final NewWorkNotifier newWorkNotifier;
  private final SchemaNames schemaNames;
  private final BooleanSupplier listening;

  /** Keys that are to be announced; guarded by itself, as are the two times. */
  private final Set<Long> ended = new HashSet<>();

  private long wantedUntil = System.nanoTime();
  private long requestAt = System.nanoTime();
  private volatile @Nullable EndReceiver endReceiver;

  /**
   * A notifier that nothing has asked yet.
   *
   * @param listening whether this node hears others
   */
  EndNotifier(NewWorkNotifier newWorkNotifier, SchemaNames schemaNames, BooleanSupplier listening) {
    this.newWorkNotifier = newWorkNotifier;
    this.schemaNames = schemaNames;
    this.listening = listening;
  }

  @Override
  public boolean announced() {
    return listening.getAsBoolean();
  }

  @Override
  public void request() {
    long now = System.nanoTime();
    synchronized (ended) {
      if (!announced() || now - requestAt < 0) {
        return;
      }
      requestAt = now + REQUEST_EVERY.toNanos();
    }
    newWorkNotifier.announce(schemaNames.awaitChannel(), 0);
  }

  @Override
  public void ended(String instanceId) {
    synchronized (ended) {
      if (System.nanoTime() - wantedUntil >= 0 || ended.size() >= ENDED_MAX) {
        return;
      }
      boolean _ = ended.add(EndAnnouncements.key(instanceId));
    }
    newWorkNotifier.wake();
  }

  @Override
  public void receive(EndReceiver receiver) {
    endReceiver = receiver;
  }

  /** Takes the announcements that are due. */
  List<Announcement> take() {
    List<Announcement> due = new ArrayList<>();
    synchronized (ended) {
      List<Long> keys = List.copyOf(ended);
      ended.clear();
      for (int i = 0; i < keys.size(); i += KEYS_MAX) {
        due.add(
            new Announcement(
                schemaNames.endChannel(),
                keys.subList(i, Math.min(i + KEYS_MAX, keys.size())).stream()
                    .map(Long::toHexString)
                    .collect(Collectors.joining(" "))));
      }
    }
    return due;
  }

  /** Receives the requests of other nodes. */
  NotificationReceiver requests() {
    return newWorkNotifier.fromOthers(
        _ -> {
          synchronized (ended) {
            wantedUntil = System.nanoTime() + WANTED_FOR.toNanos();
          }
        },
        () -> {});
  }

  /** Receives the ends of other nodes. */
  NotificationReceiver ends() {
    return newWorkNotifier.fromOthers(this::heard, this::missed);
  }

  private void heard(String payload) {
    EndReceiver receiver = endReceiver;
    if (receiver == null) {
      return;
    }
    // The first is the instant that every announcement begins with.
    receiver.ended(
        SPACE
            .splitAsStream(payload)
            .skip(1)
            .map(key -> Long.parseUnsignedLong(key, 16))
            .collect(Collectors.toSet()));
  }

  private void missed() {
    EndReceiver receiver = endReceiver;
    if (receiver != null) {
      receiver.missed();
    }
  }
}
