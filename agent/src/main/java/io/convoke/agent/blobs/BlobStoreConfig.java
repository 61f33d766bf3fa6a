package io.convoke.agent.blobs;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where blobs are stored, as {@code CONVOKE_BLOB_STORE} and {@code CONVOKE_S3_*} name it.
 *
 * @param location a folder, with or without {@code file:}, or {@code s3://bucket/prefix}
 * @param endpoint of the S3 store; absent for Amazon's own
 * @param keys absent for the SDK's default chain: environment, profile, instance role
 */
public record BlobStoreConfig(
    String location,
    Optional<URI> endpoint,
    Optional<String> region,
    Optional<S3Credentials> keys) {
  private static final String FILE = "file:";
  private static final String S3 = "s3://";

  /** What looks like the address of a store of another kind, and so is no folder. */
  private static final Pattern SCHEME = Pattern.compile("(?s)[A-Za-z][A-Za-z0-9+.-]+:.*");

  public BlobStoreConfig {
    String _ = checked(location);
  }

  /**
   * The same text, if a store can be there.
   *
   * @throws IllegalArgumentException with the forms that it may have
   */
  public static String checked(String location) {
    boolean known =
        location.startsWith(S3)
            ? !bucket(location).isEmpty()
            : location.startsWith(FILE)
                ? location.length() > FILE.length()
                : !SCHEME.matcher(location).matches();
    if (!known) {
      throw new IllegalArgumentException("a folder, file: and a folder, or s3://bucket/prefix");
    }
    return location;
  }

  /** The access key pair. */
  public record S3Credentials(String accessKey, String secretKey) {
    /** Both, or neither. */
    public static Optional<S3Credentials> of(
        Optional<String> accessKey, Optional<String> secretKey) {
      return accessKey.flatMap(
          access -> secretKey.map(secret -> new S3Credentials(access, secret)));
    }

    /** What the operator is told of one key without the other. */
    public static Optional<String> fault(Optional<String> accessKey, Optional<String> secretKey) {
      return accessKey.isPresent() == secretKey.isPresent()
          ? Optional.empty()
          : Optional.of("CONVOKE_S3_ACCESS_KEY and CONVOKE_S3_SECRET_KEY need each other");
    }

    @Override
    public String toString() {
      return "S3Credentials[" + accessKey + "]";
    }
  }

  /**
   * Opens the store; the folder is created if it is missing.
   *
   * @throws IOException if the folder cannot be created
   * @throws IllegalArgumentException if a store of Amazon's has no region
   */
  public BlobStore open() throws IOException {
    return location.startsWith(S3)
        ? new S3BlobStore(this)
        : new FolderBlobStore(
            Path.of(location.startsWith(FILE) ? location.substring(FILE.length()) : location));
  }

  /** The bucket of an S3 location. */
  String bucket() {
    return bucket(location);
  }

  /** The prefix of every object of an S3 location, without slashes at its ends; may be empty. */
  String prefix() {
    return location.substring(S3.length() + bucket().length()).replaceAll("^/+|/+$", "");
  }

  private static String bucket(String location) {
    return location.substring(S3.length()).split("/", 2)[0];
  }
}
