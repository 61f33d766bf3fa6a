package io.convoke.server.http.idempotency;

import io.convoke.engine.crypto.Sha256Hash;
import io.convoke.engine.json.Json;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.idempotency.IdempotencyKeys.IdempotencyClaim;
import io.convoke.server.http.idempotency.IdempotencyKeys.StoredResponse;
import io.convoke.server.http.schema.StrictJsonReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a request that creates something at most once per {@code Idempotency-Key}. Stores the
 * response for retries; a response of 429 or 5xx releases the key instead, so that a retry runs
 * again. A request that failed after a commit, or in one whose outcome is unknown, is not run again
 * if it was committed, unless its endpoint {@linkplain Endpoint#repeats repeats} it.
 */
public final class IdempotentExecutor {
  private static final Logger log = LoggerFactory.getLogger(IdempotentExecutor.class);

  /** The claim of the request whose handler runs on this thread. */
  static final ScopedValue<HeldClaim> HELD = ScopedValue.newInstance();

  private static final String PROBLEM_TYPE = "application/problem+json";

  private final IdempotencyKeys keys;

  /**
   * A claimed key while its handler runs.
   *
   * @param marked whether a transaction of the handler has told that it is committed; from the
   *     beginning where none needs to
   */
  record HeldClaim(
      IdempotencyKeys.IdempotencyKey idempotencyKey, String token, AtomicBoolean marked) {}

  public IdempotentExecutor(IdempotencyKeys keys) {
    this.keys = keys;
  }

  /**
   * Runs {@code work}, or replays its response.
   *
   * @param parameters of path and query, as text: part of the request's fingerprint
   * @throws Problem 422 if the key was used for another request, 409 while the first one runs or if
   *     its answer is lost
   */
  public Response run(
      Request request, String parameters, Endpoint endpoint, String key, Callable<Response> work)
      throws Exception {
    IdempotencyKeys.IdempotencyKey claimed =
        new IdempotencyKeys.IdempotencyKey(request.caller().scope(), endpoint.id(), key);
    return switch (keys.claim(claimed, fingerprint(request, parameters))) {
      case IdempotencyClaim.FreshIdempotencyKey(String token) ->
          first(
              request,
              new HeldClaim(claimed, token, new AtomicBoolean(endpoint.repeats(request))),
              work);
      case IdempotencyClaim.IdempotentReplay(StoredResponse answer) -> again(answer);
      case IdempotencyClaim.IdempotencyKeyReused() ->
          throw Problem.unprocessable(
              "idempotency_key_reused", "This Idempotency-Key was used for another request.");
      case IdempotencyClaim.IdempotencyKeyInFlight() ->
          throw Problem.conflict(
              "idempotency_in_flight",
              "The first request with this Idempotency-Key is not done yet.",
              Map.of());
      case IdempotencyClaim.IdempotencyAnswerLost() ->
          throw Problem.conflict(
              "idempotency_answer_lost",
              "The first request with this Idempotency-Key may have been carried out, as a whole or"
                  + " in part, and its answer is lost. See what it created before you send another"
                  + " with a new key.",
              Map.of());
    };
  }

  private Response first(Request request, HeldClaim held, Callable<Response> work)
      throws Exception {
    IdempotencyKeys.IdempotencyKey idempotencyKey = held.idempotencyKey();
    String token = held.token();
    Response response;
    try {
      response = ScopedValue.where(HELD, held).call(work::call);
    } catch (Problem problem) {
      if (problem.status() >= 500 || problem.status() == 429) {
        freed(() -> keys.release(idempotencyKey, token), problem);
      } else {
        keep(idempotencyKey, token, stored(problem, request.traceId()));
      }
      throw problem;
    } catch (Exception e) {
      freed(() -> keys.abandon(idempotencyKey, token), e);
      throw e;
    }
    keep(idempotencyKey, token, stored(response));
    return response;
  }

  /** The caller hears why the work failed, also if the key cannot be released. */
  private static void freed(Runnable release, Exception failure) {
    try {
      release.run();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * The work is done whether or not its answer can be kept: the caller gets the answer either way.
   */
  private void keep(
      IdempotencyKeys.IdempotencyKey idempotencyKey, String token, StoredResponse answer) {
    try {
      keys.complete(idempotencyKey, token, answer);
    } catch (RuntimeException e) {
      log.warn("Response of {} not stored for its idempotency key", idempotencyKey.operation(), e);
    }
  }

  private static Response again(StoredResponse storedResponse) {
    Map<String, String> headers = new LinkedHashMap<>(storedResponse.headers());
    String type = headers.remove("Content-Type");
    headers.put("Idempotent-Replayed", "true");
    Response.ResponseBody responseBody =
        type == null
            ? new Response.ResponseBody.EmptyBody()
            : new Response.ResponseBody.BytesBody(type, storedResponse.body());
    return Response.again(storedResponse.status(), headers, responseBody);
  }

  private static StoredResponse stored(Problem problem, String traceId) {
    return new StoredResponse(
        problem.status(), Map.of("Content-Type", PROBLEM_TYPE), Json.bytes(problem.body(traceId)));
  }

  private static StoredResponse stored(Response response) {
    Map<String, String> headers = new LinkedHashMap<>(response.headers());
    byte[] bytes =
        switch (response.body()) {
          case Response.ResponseBody.JsonBody(Object value) -> {
            headers.put("Content-Type", "application/json");
            yield Json.bytes(value);
          }
          case Response.ResponseBody.BytesBody(String type, byte[] body) -> {
            headers.put("Content-Type", type);
            yield body;
          }
          case Response.ResponseBody.EmptyBody(),
              Response.ResponseBody.StreamBody _,
              Response.ResponseBody.EventStreamBody _ ->
              new byte[0];
        };
    return new StoredResponse(response.status(), headers, bytes);
  }

  /** Independent of the order of members and of white space. */
  private static byte[] fingerprint(Request request, String parameters) {
    return Sha256Hash.of(
        parameters.getBytes(StandardCharsets.UTF_8), StrictJsonReader.canonical(request.json()));
  }
}
