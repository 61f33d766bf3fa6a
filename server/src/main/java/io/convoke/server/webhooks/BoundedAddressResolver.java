package io.convoke.server.webhooks;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * DNS lookup with a timeout, on platform threads: a lookup is a native call that cannot be
 * interrupted and pins a virtual thread's carrier until the name server responds. It keeps its
 * thread after its timeout too, so a user has a share of the threads.
 */
final class BoundedAddressResolver implements SsrfGuard.AddressResolver {
  private final int perUser;
  private final ExecutorService threads;
  private final SsrfGuard.AddressResolver lookup;
  private final Duration atMost;

  /**
   * Lookups that have a thread, by user; empty for operators' endpoints. Guarded by this object.
   */
  private final Map<Optional<Long>, Integer> running = new HashMap<>();

  /**
   * A resolver with threads of its own.
   *
   * @param most lookups at a time
   * @param perUser those of one user
   */
  BoundedAddressResolver(int most, int perUser) {
    this(
        most,
        perUser,
        (user, host) -> Arrays.asList(InetAddress.getAllByName(host)),
        Duration.ofSeconds(5));
  }

  BoundedAddressResolver(int most, int perUser, SsrfGuard.AddressResolver lookup, Duration atMost) {
    this.perUser = perUser;
    this.threads =
        new ThreadPoolExecutor(
            0,
            most,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().name("resolver-", 0).daemon().factory());
    this.lookup = lookup;
    this.atMost = atMost;
  }

  @Override
  public List<InetAddress> resolve(Optional<Long> user, String host)
      throws UnknownHostException, SsrfGuard.LookupRefused {
    Future<List<InetAddress>> answer = begin(user, host);
    try {
      return answer.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new UnknownHostException("DNS lookup timed out");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownHostException unknown) {
        throw unknown;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnknownHostException("interrupted");
    }
  }

  private synchronized Future<List<InetAddress>> begin(Optional<Long> user, String host)
      throws SsrfGuard.LookupRefused {
    if (running.getOrDefault(user, 0) >= perUser) {
      throw new SsrfGuard.LookupRefused();
    }
    Future<List<InetAddress>> answer;
    try {
      answer =
          threads.submit(
              () -> {
                try {
                  return lookup.resolve(user, host);
                } finally {
                  end(user);
                }
              });
    } catch (RejectedExecutionException e) {
      throw new SsrfGuard.LookupRefused();
    }
    int _ = running.merge(user, 1, Integer::sum);
    return answer;
  }

  private synchronized void end(Optional<Long> user) {
    int _ = running.merge(user, -1, Integer::sum);
    boolean _ = running.remove(user, 0);
  }
}
