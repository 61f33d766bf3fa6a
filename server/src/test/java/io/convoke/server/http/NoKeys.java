package io.convoke.server.http;

/** For endpoints that create nothing. */
final class NoKeys implements IdempotencyKeys {
  @Override
  public IdempotencyClaim claim(IdempotencyKey idempotencyKey, byte[] fingerprint) {
    throw new IllegalStateException("nothing is created here");
  }

  @Override
  public void complete(IdempotencyKey idempotencyKey, String token, StoredResponse answer) {}

  @Override
  public void release(IdempotencyKey idempotencyKey, String token) {}
}
