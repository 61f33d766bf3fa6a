package io.convoke.server.webhooks;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
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
 * interrupted and pins a virtual thread's carrier until the name server responds.
 */
final class BoundedAddressResolver implements SsrfGuard.AddressResolver {
  private static final int LOOKUPS_MAX = 64;

  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          LOOKUPS_MAX,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Thread.ofPlatform().name("resolver-", 0).daemon().factory());

  private final SsrfGuard.AddressResolver lookup;
  private final Duration atMost;

  BoundedAddressResolver() {
    this(host -> Arrays.asList(InetAddress.getAllByName(host)), Duration.ofSeconds(5));
  }

  BoundedAddressResolver(SsrfGuard.AddressResolver lookup, Duration atMost) {
    this.lookup = lookup;
    this.atMost = atMost;
  }

  @Override
  public List<InetAddress> resolve(String host) throws UnknownHostException {
    Future<List<InetAddress>> answer;
    try {
      answer = threads.submit(() -> lookup.resolve(host));
    } catch (RejectedExecutionException e) {
      throw new UnknownHostException("too many DNS lookups are running");
    }
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
}
