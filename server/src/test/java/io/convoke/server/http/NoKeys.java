package io.convoke.server.http;

/** For endpoints that create nothing. */
final class NoKeys implements IdempotencyKeys {
  @Override
  public Claim claim(Key key, byte[] fingerprint) {
    throw new IllegalStateException("nothing is created here");
  }

  @Override
  public void complete(Key key, String token, Stored answer) {}

  @Override
  public void release(Key key, String token) {}
}
