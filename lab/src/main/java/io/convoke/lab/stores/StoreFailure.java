package io.convoke.lab.stores;

/** An embedded store that could not be unpacked, started or reached, in words for the operator. */
public final class StoreFailure extends RuntimeException {
  StoreFailure(String message) {
    super(message);
  }

  StoreFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
