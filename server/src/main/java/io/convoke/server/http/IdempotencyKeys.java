package io.convoke.server.http;

import java.util.Map;

/**
 * Remembers the first answer to a request that creates something, so that sending it again changes
 * nothing. A claim is bounded: if its holder died, the same request may claim again after {@link
 * IdempotencyStore#CLAIM_BOUND}.
 */
public interface IdempotencyKeys {
  /** Whose key of which operation. */
  record Key(String caller, String operation, String key) {}

  /** An answer as it was first given. */
  @SuppressWarnings("ArrayRecordComponent") // handed through, never compared
  record Stored(int status, Map<String, String> headers, byte[] body) {}

  /** The result of a claim. */
  sealed interface Claim {
    /** The first request with this key: handle it, then {@link #complete} or {@link #release}. */
    record Fresh(String token) implements Claim {}

    /** It was done before; this is the answer. */
    record Replay(Stored answer) implements Claim {}

    /** The key was used for a request with other content. */
    record OtherRequest() implements Claim {}

    /** The first request is still being worked on. */
    record InFlight() implements Claim {}
  }

  /** Claims a key for a request with this fingerprint. */
  Claim claim(Key key, byte[] fingerprint);

  /** Keeps the answer, if the claim is still ours. */
  void complete(Key key, String token, Stored answer);

  /** Gives the key back: the request failed in a way that a repetition may not. */
  void release(Key key, String token);
}
