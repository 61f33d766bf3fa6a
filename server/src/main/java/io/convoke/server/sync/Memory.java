package io.convoke.server.sync;

import static io.lettuce.core.codec.StringCodec.UTF8;

import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.push.PushListener;
import io.lettuce.core.api.push.PushMessage;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What Redis held on one connection, for as long as it has not said that it changed: its own
 * client-side caching ({@code CLIENT TRACKING}). That a key changed is told on the same connection,
 * before the answer of whatever is asked after the change; so an answer proves that all that is
 * still remembered was true when it was given. The connection is for this alone, because Redis
 * remembers everything that is read on it.
 *
 * <p>For {@link #LEASE} from when a look was sent, what it proved may be told without another. That
 * is a lease for reading: who is the first to tell of something newer waits until it is over
 * wherever else there may be one.
 */
final class Memory implements PushListener, AutoCloseable {
  /** How long a look holds, from when it was sent; what others wait before they tell. */
  static final Duration LEASE = Duration.ofMillis(10);

  /** From this age on a lease that is used is renewed, while it still holds. */
  private static final long AGED = LEASE.toNanos() / 2;

  private static final int MAX = 8_192;
  private static final int TEXT_MAX = 2_048;

  private final Object way;
  private final StatefulRedisConnection<String, String> connection;
  private final Predicate<String> lasting;
  private final LongSupplier nanos;
  private final ConcurrentHashMap<String, KeptText> texts = new ConcurrentHashMap<>();
  private @Nullable Look underWay;

  /** When the last look was sent that has been answered. */
  private volatile long provedAt;

  private Memory(
      Object way,
      StatefulRedisConnection<String, String> connection,
      Predicate<String> lasting,
      LongSupplier nanos) {
    this.way = way;
    this.connection = connection;
    this.lasting = lasting;
    this.nanos = nanos;
    this.provedAt = nanos.getAsLong() - LEASE.toNanos();
  }

  /**
   * Begins to remember.
   *
   * @param way the shared connection to the same life of the same server
   * @param connection for this alone; closed with this
   * @param lasting which texts end by a change alone, or so late that it makes no difference
   * @param nanos a monotonic clock
   * @throws io.lettuce.core.RedisException if Redis does not tell of changes
   */
  static Memory begin(
      Object way,
      StatefulRedisConnection<String, String> connection,
      Predicate<String> lasting,
      LongSupplier nanos) {
    Memory memory = new Memory(way, connection, lasting, nanos);
    connection.addListener(memory);
    String _ = connection.sync().clientTracking(TrackingArgs.Builder.enabled());
    return memory;
  }

  /** A look that was sent, what it relies on, and what changed since. */
  static final class Look {
    private final long sentAt;
    private final Map<String, KeptText> relied;
    private final Set<String> changed = new HashSet<>();
    private boolean allChanged;

    private Look(long sentAt, Map<String, KeptText> relied) {
      this.sentAt = sentAt;
      this.relied = relied;
    }

    /** Whether this key need not be read. */
    boolean reliesOn(String key) {
      return relied.containsKey(key);
    }

    private boolean holds(String key) {
      return !allChanged && !changed.contains(key);
    }
  }

  /** The shared connection to the same life of the same server. */
  Object way() {
    return way;
  }

  RedisAsyncCommands<String, String> commands() {
    return connection.async();
  }

  boolean isOpen() {
    return connection.isOpen();
  }

  @Override
  public void close() {
    var _ = connection.closeAsync();
  }

  /** What may be told of a key right now. */
  Optional<KeptText> tellable(String key) {
    // The lease first: what is here after it was seen to hold has not changed by then.
    return holds() ? Optional.ofNullable(texts.get(key)) : Optional.empty();
  }

  /** What may be told of these keys right now; empty if nothing may of one of them. */
  Optional<Map<String, KeptText>> tellable(Collection<String> keys) {
    if (!holds()) {
      return Optional.empty();
    }
    Map<String, KeptText> found = remembered(keys);
    return found.size() == keys.size() ? Optional.of(found) : Optional.empty();
  }

  /** Whether the lease should be renewed by whoever uses it. */
  boolean ages() {
    return age() >= AGED;
  }

  /** A look is about to be sent; the one before it is over. */
  synchronized Look begin(Collection<String> keys) {
    Look look = new Look(nanos.getAsLong(), remembered(keys));
    underWay = look;
    return look;
  }

  /**
   * A look was answered, so what it relied on is proved, but for what has changed by now. What it
   * read is remembered, if it was the last that was sent.
   *
   * @return what it read, and what it relied on and still holds
   */
  @SuppressWarnings("ReferenceEquality") // this very look, not one like it
  synchronized Map<String, KeptText> end(Look look, Map<String, KeptText> read) {
    Map<String, KeptText> whole = new HashMap<>(read);
    look.relied.forEach(
        (key, text) -> {
          if (look.holds(key)) {
            var _ = whole.put(key, text);
          }
        });
    if (look == underWay) {
      provedAt = look.sentAt;
      read.forEach(
          (key, text) -> {
            if (look.holds(key) && text.text().length() <= TEXT_MAX && lasting.test(text.text())) {
              makeRoom();
              var _ = texts.put(key, text);
            }
          });
    }
    return whole;
  }

  /** Forgets keys of which it is known that they changed. */
  synchronized void forget(Collection<String> keys) {
    keys.forEach(texts::remove);
    if (underWay != null) {
      boolean _ = underWay.changed.addAll(keys);
    }
  }

  private synchronized void forgetAll() {
    texts.clear();
    if (underWay != null) {
      underWay.allChanged = true;
    }
  }

  @Override
  public void onPushMessage(PushMessage message) {
    if (!message.getType().equals("invalidate")) {
      return;
    }
    List<Object> content = message.getContent(UTF8::decodeKey);
    if (content.getLast() instanceof List<?> keys) {
      forget(keys.stream().map(Object::toString).toList());
    } else {
      forgetAll();
    }
  }

  private boolean holds() {
    return age() < LEASE.toNanos() && connection.isOpen();
  }

  private long age() {
    return nanos.getAsLong() - provedAt;
  }

  private Map<String, KeptText> remembered(Collection<String> keys) {
    Map<String, KeptText> found = HashMap.newHashMap(keys.size());
    for (String key : keys) {
      Optional.ofNullable(texts.get(key)).ifPresent(text -> found.put(key, text));
    }
    return found;
  }

  private void makeRoom() {
    if (texts.size() >= MAX) {
      texts.keySet().stream().limit(MAX / 10).toList().forEach(texts::remove);
    }
  }
}
