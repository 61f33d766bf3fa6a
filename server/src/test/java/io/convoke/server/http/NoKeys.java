package io.convoke.server.http;

import io.convoke.server.http.idempotency.IdempotencyKeys;

/** For endpoints that create nothing. */
public final class NoKeys implements IdempotencyKeys {
  @Override
  public IdempotencyClaim claim(IdempotencyKey idempotencyKey, byte[] fingerprint) {
    throw new IllegalStateException("nothing is created here");
  }

  @Override
  public void complete(IdempotencyKey idempotencyKey, String token, StoredResponse answer) {}

  @Override
  public void release(IdempotencyKey idempotencyKey, String token) {}

  @Override
  public void abandon(IdempotencyKey idempotencyKey, String token) {}
}
