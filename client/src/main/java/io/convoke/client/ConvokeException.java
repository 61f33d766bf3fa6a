package io.convoke.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A call that did not succeed. */
public abstract sealed class ConvokeException extends RuntimeException {

  private ConvokeException(String message, Optional<Throwable> cause) {
    super(message, cause.orElse(null));
  }

  /** A finding about one field of the request. */
  public record InvalidField(String field, String message) {}

  /**
   * What the server said, as its {@code application/problem+json} (RFC 9457).
   *
   * @param status of the answer
   * @param code stable, for programs: {@code bot_already_there}
   * @param detail for people
   * @param traceId under which the server's log has it; empty if something before the server
   *     answered
   * @param errors which fields are wrong; empty unless the status is 400
   * @param retryAfter when trying again makes sense
   */
  public record ApiProblem(
      int status,
      String code,
      String detail,
      Optional<String> traceId,
      List<InvalidField> errors,
      Optional<Duration> retryAfter) {}

  /** The server refused: the request is wrong, not permitted, or the state forbids it (4xx). */
  public static final class RequestRefused extends ConvokeException {
    private final transient ApiProblem problem;

    RequestRefused(ApiProblem problem) {
      super(text(problem), Optional.empty());
      this.problem = problem;
    }

    /** Why. */
    public ApiProblem problem() {
      return problem;
    }

    /** Whether the credential is missing or wrong. */
    public boolean unauthorized() {
      return problem.status() == 401;
    }

    /** Whether it does not exist, or the caller may not see it. */
    public boolean notFound() {
      return problem.status() == 404;
    }
  }

  /** A limit is reached (429), and waiting as long as the retries may did not help. */
  public static final class LimitReached extends ConvokeException {
    private final transient ApiProblem problem;

    LimitReached(ApiProblem problem) {
      super(text(problem), Optional.empty());
      this.problem = problem;
    }

    /** Which limit, and when to try again. */
    public ApiProblem problem() {
      return problem;
    }
  }

  /** The server failed (5xx), and retries did not help. */
  public static final class ServerFailed extends ConvokeException {
    private final transient ApiProblem problem;

    ServerFailed(ApiProblem problem) {
      super(text(problem), Optional.empty());
      this.problem = problem;
    }

    /** What it said. */
    public ApiProblem problem() {
      return problem;
    }
  }

  /**
   * No whole answer came. A call that changes something may have happened, unless its retries with
   * one idempotency key go on.
   */
  public static final class NoAnswer extends ConvokeException {
    NoAnswer(String message, Throwable cause) {
      super(message, Optional.of(cause));
    }
  }

  private static String text(ApiProblem problem) {
    StringBuilder text = new StringBuilder(problem.detail());
    for (InvalidField error : problem.errors()) {
      String line = error.field() + " " + error.message();
      if (!text.toString().contains(line)) {
        text.append("; ").append(line);
      }
    }
    return text + " (" + problem.status() + " " + problem.code() + ")";
  }
}
