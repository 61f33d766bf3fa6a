package io.convoke.agent.snapshot;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Stores pictures as objects of a bucket, under the names of the server's blob store. The store
 * refuses a name that exists ({@code If-None-Match}); a store that ignores this header would
 * overwrite it.
 */
final class S3SnapshotStore implements SnapshotStore {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final Duration SILENCE_MAX = Duration.ofSeconds(30);
  private static final int TAKEN = 412;

  private final S3Client client;
  private final S3Location s3Location;

  /**
   * The location of a store.
   *
   * @param prefix of every object, without slashes at its ends; may be empty
   * @param endpoint empty for Amazon's own
   * @param keys empty for the SDK's default chain
   */
  record S3Location(
      String bucket,
      String prefix,
      Optional<URI> endpoint,
      Optional<String> region,
      Optional<S3Credentials> keys) {}

  /** The access key pair. */
  record S3Credentials(String access, String secret) {
    @Override
    public String toString() {
      return "S3Credentials[" + access + "]";
    }
  }

  S3SnapshotStore(S3Location s3Location) {
    this.s3Location = s3Location;
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClient(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(CONNECT_MAX)
                    .socketTimeout(SILENCE_MAX)
                    .build())
            .forcePathStyle(s3Location.endpoint().isPresent())
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED);
    s3Location.endpoint().ifPresent(builder::endpointOverride);
    s3Location
        .region()
        .or(() -> s3Location.endpoint().map(_ -> "us-east-1"))
        .ifPresent(region -> builder.region(Region.of(region)));
    s3Location
        .keys()
        .ifPresent(
            s3Credentials ->
                builder.credentialsProvider(
                    StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(
                            s3Credentials.access(), s3Credentials.secret()))));
    this.client = builder.build();
  }

  @Override
  public void keep(String name, byte[] picture) throws IOException {
    String key = s3Location.prefix().isEmpty() ? name : s3Location.prefix() + "/" + name;
    try {
      var _ =
          client.putObject(
              request ->
                  request
                      .bucket(s3Location.bucket())
                      .key(key)
                      .contentType("image/png")
                      .ifNoneMatch("*"),
              RequestBody.fromBytes(picture));
    } catch (S3Exception e) {
      throw e.statusCode() == TAKEN
          ? new IOException("there is a picture named " + name + " already", e)
          : new IOException("S3 request failed: " + e.getMessage(), e);
    } catch (SdkException e) {
      throw new IOException("S3 request failed: " + e.getMessage(), e);
    }
  }
}
