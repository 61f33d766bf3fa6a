package io.convoke.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The lines of an open answer, handed from the HTTP client's thread to its reader. At most {@value
 * #AHEAD} wait here; the connection stalls meanwhile.
 */
final class ServerSentLines implements Flow.Subscriber<String> {
  private static final int AHEAD = 256;

  /** A line, or the end. */
  private sealed interface Received {
    record TextLine(String text) implements Received {}

    record StreamEnd(Optional<Throwable> cause) implements Received {}
  }

  private final LinkedBlockingQueue<Received> received = new LinkedBlockingQueue<>();
  private volatile Flow.Subscription subscription = new Ended();
  private volatile boolean cancelled;

  /** Before the answer began. */
  private static final class Ended implements Flow.Subscription {
    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    if (cancelled) {
      given.cancel();
    } else {
      given.request(AHEAD);
    }
  }

  @Override
  public void onNext(String line) {
    received.add(new Received.TextLine(line));
  }

  @Override
  public void onError(Throwable cause) {
    received.add(new Received.StreamEnd(Optional.of(cause)));
  }

  @Override
  public void onComplete() {
    received.add(new Received.StreamEnd(Optional.empty()));
  }

  /**
   * The next line.
   *
   * @throws IOException at the end of the answer, or if nothing comes for this long
   */
  String next(Duration silence) throws IOException {
    Received one;
    try {
      one = received.poll(silence.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw ApiTransport.interrupted(e);
    }
    return switch (one) {
      case null -> throw new IOException("the stream is silent for " + silence.toSeconds() + " s");
      case Received.TextLine(String text) -> {
        subscription.request(1);
        yield text;
      }
      case Received.StreamEnd(Optional<Throwable> cause) ->
          throw new IOException("the stream ended", cause.orElse(null));
    };
  }

  /** Ends the answer, also one that has yet to begin. */
  void cancel() {
    cancelled = true;
    subscription.cancel();
    received.add(new Received.StreamEnd(Optional.empty()));
  }
}
