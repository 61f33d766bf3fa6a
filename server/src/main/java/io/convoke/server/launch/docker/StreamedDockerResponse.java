package io.convoke.server.launch.docker;

import com.github.dockerjava.api.async.ResultCallbackTemplate;
import com.github.dockerjava.api.exception.DockerException;
import io.convoke.server.launch.LauncherUnavailable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A streamed answer of the engine: a pull, a log, events. Errors are thrown to the waiting caller,
 * instead of being logged by the library.
 */
final class StreamedDockerResponse<T> extends ResultCallbackTemplate<StreamedDockerResponse<T>, T> {
  private final Consumer<T> part;
  private volatile @Nullable Throwable failure;

  StreamedDockerResponse(Consumer<T> part) {
    this.part = part;
  }

  @Override
  public void onNext(T next) {
    part.accept(next);
  }

  @Override
  public void onError(Throwable error) {
    failure = error;
    onComplete();
  }

  /**
   * Waits for the first byte; an engine that accepts a call and does not answer counts as
   * unreachable.
   */
  void awaitOpen(Duration atMost) {
    try {
      if (!awaitStarted(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new LauncherUnavailable("the Docker engine accepted the call and does not answer");
      }
    } catch (InterruptedException e) {
      throw interrupted();
    }
    throwFailure();
  }

  /** Waits until it is complete; false on timeout. */
  boolean awaitEnd(Duration atMost) {
    try {
      boolean complete = awaitCompletion(atMost.toMillis(), TimeUnit.MILLISECONDS);
      throwFailure();
      return complete;
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private void throwFailure() {
    Throwable seen = failure;
    if (seen instanceof DockerException refused) {
      throw refused;
    }
    if (seen != null) {
      throw new LauncherUnavailable("the engine's answer was cut off: " + seen.getMessage(), seen);
    }
  }

  private static LauncherUnavailable interrupted() {
    Thread.currentThread().interrupt();
    return new LauncherUnavailable("interrupted");
  }
}
