package io.convoke.server.http.idempotency;

import java.util.Map;

/**
 * Remembers the first answer to a request that creates something, so that sending it again changes
 * nothing. A claim is bounded: if its holder died before it committed anything, the same request
 * may claim again after {@link IdempotencyStore#CLAIM_BOUND}.
 */
public interface IdempotencyKeys {
  /** A key of one caller for one operation. */
  record IdempotencyKey(String caller, String operation, String key) {}

  /** The stored first response. */
  @SuppressWarnings("ArrayRecordComponent") // handed through, never compared
  record StoredResponse(int status, Map<String, String> headers, byte[] body) {}

  /** The result of a claim. */
  sealed interface IdempotencyClaim {
    /**
     * The first request with this key: handle it, then {@link #complete}, {@link #release} or
     * {@link #abandon}.
     */
    record FreshIdempotencyKey(String token) implements IdempotencyClaim {}

    /** The request was handled before; replay this response. */
    record IdempotentReplay(StoredResponse answer) implements IdempotencyClaim {}

    /** The key was used for a request with other content. */
    record IdempotencyKeyReused() implements IdempotencyClaim {}

    /** The first request is still running. */
    record IdempotencyKeyInFlight() implements IdempotencyClaim {}

    /** The first request has committed something, and there is no answer to replay. */
    record IdempotencyAnswerLost() implements IdempotencyClaim {}
  }

  /** Claims a key for a request with this fingerprint. */
  IdempotencyClaim claim(IdempotencyKey idempotencyKey, byte[] fingerprint);

  /** Stores the response if the token still holds the claim. */
  void complete(IdempotencyKey idempotencyKey, String token, StoredResponse answer);

  /** Releases the key: the request was refused in a way that a retry may not be. */
  void release(IdempotencyKey idempotencyKey, String token);

  /**
   * Releases the key of a request that ended without an answer, unless it has committed something:
   * then its answer is lost.
   */
  void abandon(IdempotencyKey idempotencyKey, String token);
}
