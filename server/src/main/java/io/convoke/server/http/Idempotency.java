package io.convoke.server.http;

import io.convoke.engine.json.Json;
import io.convoke.server.http.IdempotencyKeys.Claim;
import io.convoke.server.http.IdempotencyKeys.Stored;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a request that creates something at most once per {@code Idempotency-Key}. Answers that a
 * repetition should see again are kept; those that a repetition may improve on (429 and 5xx) give
 * the key back.
 */
final class Idempotency {
  private static final Logger log = LoggerFactory.getLogger(Idempotency.class);
  private static final String PROBLEM_TYPE = "application/problem+json";

  private final IdempotencyKeys keys;

  Idempotency(IdempotencyKeys keys) {
    this.keys = keys;
  }

  Answer run(Request request, Endpoint endpoint, String key, Callable<Answer> work)
      throws Exception {
    IdempotencyKeys.Key claimed =
        new IdempotencyKeys.Key(request.caller().scope(), endpoint.id(), key);
    return switch (keys.claim(claimed, fingerprint(request))) {
      case Claim.Fresh(String token) -> first(request, claimed, token, work);
      case Claim.Replay(Stored answer) -> again(answer);
      case Claim.OtherRequest() ->
          throw Problem.unprocessable(
              "idempotency_key_reused", "This Idempotency-Key was used for another request.");
      case Claim.InFlight() ->
          throw Problem.conflict(
              "idempotency_in_flight",
              "The first request with this Idempotency-Key is not done yet.",
              Map.of());
    };
  }

  private Answer first(
      Request request, IdempotencyKeys.Key key, String token, Callable<Answer> work)
      throws Exception {
    Answer answer;
    try {
      answer = work.call();
    } catch (Problem problem) {
      if (problem.status() >= 500 || problem.status() == 429) {
        keys.release(key, token);
      } else {
        keep(key, token, stored(problem, request.traceId()));
      }
      throw problem;
    } catch (Exception e) {
      keys.release(key, token);
      throw e;
    }
    keep(key, token, stored(answer));
    return answer;
  }

  /**
   * The work is done whether or not its answer can be kept: the caller gets the answer either way.
   */
  private void keep(IdempotencyKeys.Key key, String token, Stored answer) {
    try {
      keys.complete(key, token, answer);
    } catch (RuntimeException e) {
      log.warn("the answer of {} could not be kept for its idempotency key", key.operation(), e);
    }
  }

  private static Answer again(Stored stored) {
    Map<String, String> headers = new LinkedHashMap<>(stored.headers());
    String type = headers.remove("Content-Type");
    headers.put("Idempotent-Replayed", "true");
    Answer.Body body =
        type == null ? new Answer.Body.None() : new Answer.Body.Bytes(type, stored.body());
    return Answer.again(stored.status(), headers, body);
  }

  private static Stored stored(Problem problem, String traceId) {
    return new Stored(
        problem.status(), Map.of("Content-Type", PROBLEM_TYPE), Json.bytes(problem.body(traceId)));
  }

  private static Stored stored(Answer answer) {
    Map<String, String> headers = new LinkedHashMap<>(answer.headers());
    byte[] bytes =
        switch (answer.body()) {
          case Answer.Body.Json(Object value) -> {
            headers.put("Content-Type", "application/json");
            yield Json.bytes(value);
          }
          case Answer.Body.Bytes(String type, byte[] body) -> {
            headers.put("Content-Type", type);
            yield body;
          }
          case Answer.Body.None(), Answer.Body.Stream _, Answer.Body.Events _ -> new byte[0];
        };
    return new Stored(answer.status(), headers, bytes);
  }

  /** The same for the same content, whatever the order of members and the white space. */
  private static byte[] fingerprint(Request request) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      if (request instanceof CheckedRequest checked) {
        digest.update(checked.pathParameters().toString().getBytes(StandardCharsets.UTF_8));
        digest.update(checked.queryParameters().toString().getBytes(StandardCharsets.UTF_8));
      }
      return digest.digest(JsonBodies.canonical(request.json()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
