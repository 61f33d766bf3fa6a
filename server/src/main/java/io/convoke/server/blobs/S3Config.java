package io.convoke.server.blobs;

import java.net.URI;
import java.util.Optional;

/**
 * Where an S3 store is.
 *
 * @param prefix of every object, without slashes at its ends; may be empty
 * @param endpoint absent for Amazon's own
 * @param keys absent for the SDK's default chain: environment, profile, instance role
 */
public record S3Config(
    String bucket,
    String prefix,
    Optional<URI> endpoint,
    Optional<String> region,
    Optional<S3Credentials> keys) {

  /** The access key pair. */
  public record S3Credentials(String accessKey, String secretKey) {
    @Override
    public String toString() {
      return "S3Credentials[" + accessKey + "]";
    }
  }
}
