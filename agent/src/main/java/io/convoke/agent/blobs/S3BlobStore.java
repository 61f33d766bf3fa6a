package io.convoke.agent.blobs;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.FileAlreadyExistsException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.NoSuchUploadException;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Blobs as objects of a bucket, in any S3-compatible store. Complete blobs are under the prefix,
 * partial ones as chunks under {@code .partial/}; {@link S3PartialBlob} joins the chunks inside the
 * store.
 *
 * <p>Checksums that older stores reject are sent only where the protocol requires them; a chunk and
 * a small blob carry their MD5, which every store verifies.
 */
public final class S3BlobStore implements BlobStore {
  private static final Logger log = LoggerFactory.getLogger(S3BlobStore.class);

  static final String PARTIALS = ".partial/";

  /** Amazon joins no parts that are smaller, the last one excepted. */
  static final int CHUNK = 8 * 1024 * 1024;

  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final Duration SILENCE_MAX = Duration.ofSeconds(60);
  private static final int PRECONDITION_FAILED = 412;

  /** The folders of blobs that are joined; uploads elsewhere in the bucket may be others'. */
  private static final List<String> JOINED = List.of("recordings/", "egress/");

  /** A key that may not, a store that cannot. */
  private static final Set<Integer> UPLOADS_REFUSED = Set.of(403, 405, 501);

  private final S3Client client;
  private final String bucket;
  private final String prefix;
  private final int chunk;

  public S3BlobStore(BlobStoreConfig config) {
    this(config, CHUNK);
  }

  S3BlobStore(BlobStoreConfig config, int chunk) {
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClient(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(CONNECT_MAX)
                    .socketTimeout(SILENCE_MAX)
                    .build())
            .forcePathStyle(config.endpoint().isPresent())
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
    config.endpoint().ifPresent(builder::endpointOverride);
    config
        .region()
        .or(() -> config.endpoint().map(_ -> "us-east-1"))
        .ifPresent(region -> builder.region(Region.of(region)));
    config
        .keys()
        .ifPresent(
            s3Credentials ->
                builder.credentialsProvider(
                    StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(
                            s3Credentials.accessKey(), s3Credentials.secretKey()))));
    this.client = client(builder);
    this.bucket = config.bucket();
    this.prefix = config.prefix().isEmpty() ? "" : config.prefix() + "/";
    this.chunk = chunk;
  }

  /** Without a region and an endpoint the SDK looks for a region in its environment. */
  private static S3Client client(S3ClientBuilder builder) {
    try {
      return builder.build();
    } catch (SdkClientException e) {
      throw new IllegalArgumentException(
          "CONVOKE_S3_REGION is missing: without CONVOKE_S3_ENDPOINT the bucket is Amazon's", e);
    }
  }

  @Override
  public PartialBlob partial(BlobKey key, String tag) throws IOException {
    return new S3PartialBlob(
        this, prefix + PARTIALS + new BlobKey(tag) + "/" + key + "/", prefix + key, chunk);
  }

  /** One request for what is smaller than a chunk: recordings are stored in many small files. */
  @Override
  public StoredBlob put(BlobKey key, InputStream content) throws IOException {
    byte[] first = content.readNBytes(chunk);
    if (first.length == chunk) {
      return BlobStore.super.put(
          key, new SequenceInputStream(new ByteArrayInputStream(first), content));
    }
    putObject(prefix + key, first);
    Sha256 sha256 = new Sha256();
    sha256.add(first, 0, first.length);
    return new StoredBlob(first.length, sha256.hex());
  }

  @Override
  public void putNew(BlobKey key, byte[] content, String contentType) throws IOException {
    try {
      var _ =
          client.putObject(
              request ->
                  request
                      .bucket(bucket)
                      .key(prefix + key)
                      .contentType(contentType)
                      .ifNoneMatch("*"),
              RequestBody.fromBytes(content));
    } catch (S3Exception e) {
      if (e.statusCode() != PRECONDITION_FAILED) {
        throw failed(e);
      }
      if (!has(key, content)) {
        throw new FileAlreadyExistsException(key.text());
      }
    } catch (SdkException e) {
      throw failed(e);
    }
  }

  /** Whether a blob has these bytes: the answer to the request that stored them may be lost. */
  private boolean has(BlobKey key, byte[] content) throws IOException {
    Optional<byte[]> stored = read(key, 0, content.length + 1);
    return stored.isPresent() && Arrays.equals(stored.get(), content);
  }

  @Override
  public Optional<BlobInfo> stat(BlobKey key) throws IOException {
    return there(
        () -> {
          HeadObjectResponse head =
              client.headObject(request -> request.bucket(bucket).key(prefix + key));
          return new BlobInfo(key.text(), head.contentLength(), head.lastModified());
        });
  }

  @Override
  public Optional<InputStream> open(BlobKey key, long from) throws IOException {
    Optional<BlobInfo> blob = stat(key);
    if (blob.isEmpty()) {
      return Optional.empty();
    }
    if (from >= blob.get().size()) {
      return Optional.of(InputStream.nullInputStream());
    }
    return there(() -> object(prefix + key, from));
  }

  @Override
  public boolean delete(BlobKey key) throws IOException {
    boolean was = stat(key).isPresent();
    delete(prefix + key);
    return was;
  }

  @Override
  public BlobPage list(String wanted, Optional<String> after, int limit) throws IOException {
    ListObjectsV2Response answer =
        objects(prefix + wanted, after.map(last -> prefix + last), Math.min(limit, PAGE_MAX));
    List<BlobInfo> blobs = new ArrayList<>();
    for (S3Object object : answer.contents()) {
      String key = object.key().substring(prefix.length());
      if (!key.startsWith(PARTIALS)) {
        blobs.add(new BlobInfo(key, object.size(), object.lastModified()));
      }
    }
    Optional<String> last =
        answer.contents().isEmpty()
            ? Optional.empty()
            : Optional.of(answer.contents().getLast().key().substring(prefix.length()));
    return new BlobPage(blobs, last.filter(_ -> Boolean.TRUE.equals(answer.isTruncated())));
  }

  @Override
  public int deletePartials(Instant before) throws IOException {
    int deleted = 0;
    for (S3Object object : all(prefix + PARTIALS)) {
      if (object.lastModified().isBefore(before)) {
        delete(object.key());
        deleted++;
      }
    }
    for (String folder : JOINED) {
      deleted += abortUploads(prefix + folder, before);
    }
    return deleted;
  }

  /**
   * Aborts the uploads of joins that a crash interrupted, whose parts no listing of objects shows.
   * Where the store or the key does not permit that, they stay: the bucket needs a lifecycle rule.
   */
  private int abortUploads(String folder, Instant before) throws IOException {
    int aborted = 0;
    try {
      for (MultipartUpload upload :
          client
              .listMultipartUploadsPaginator(request -> request.bucket(bucket).prefix(folder))
              .uploads()) {
        if (upload.initiated().isBefore(before) && abort(upload)) {
          aborted++;
        }
      }
    } catch (S3Exception e) {
      if (!UPLOADS_REFUSED.contains(e.statusCode())) {
        throw failed(e);
      }
      log.info("Interrupted uploads below {} stay in the store: {}", folder, e.getMessage());
    } catch (SdkException e) {
      throw failed(e);
    }
    return aborted;
  }

  /** False if another server was faster. */
  private boolean abort(MultipartUpload upload) {
    try {
      var _ =
          client.abortMultipartUpload(
              request -> request.bucket(bucket).key(upload.key()).uploadId(upload.uploadId()));
      return true;
    } catch (NoSuchUploadException gone) {
      return false;
    }
  }

  @Override
  public void close() {
    client.close();
  }

  S3Client client() {
    return client;
  }

  String bucket() {
    return bucket;
  }

  /** Stores an object whose bytes the store verifies. */
  void putObject(String objectKey, byte[] bytes) throws IOException {
    var _ =
        calling(
            () ->
                client.putObject(
                    request -> request.bucket(bucket).key(objectKey).contentMD5(md5(bytes)),
                    RequestBody.fromBytes(bytes)));
  }

  private static String md5(byte[] bytes) {
    try {
      return Base64.getEncoder().encodeToString(MessageDigest.getInstance("MD5").digest(bytes));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every JDK has MD5", impossible);
    }
  }

  InputStream object(String objectKey, long from) {
    return client.getObject(
        request -> {
          var _ = request.bucket(bucket).key(objectKey);
          if (from > 0) {
            var _ = request.range("bytes=" + from + "-");
          }
        });
  }

  void delete(String objectKey) throws IOException {
    var _ = calling(() -> client.deleteObject(request -> request.bucket(bucket).key(objectKey)));
  }

  /** Every object under a prefix, in the order of the keys. */
  List<S3Object> all(String objectPrefix) throws IOException {
    List<S3Object> all = new ArrayList<>();
    Optional<String> after = Optional.empty();
    while (true) {
      ListObjectsV2Response answer = objects(objectPrefix, after, PAGE_MAX);
      all.addAll(answer.contents());
      if (!Boolean.TRUE.equals(answer.isTruncated()) || answer.contents().isEmpty()) {
        return all;
      }
      after = Optional.of(answer.contents().getLast().key());
    }
  }

  private ListObjectsV2Response objects(String objectPrefix, Optional<String> after, int limit)
      throws IOException {
    ListObjectsV2Request.Builder request =
        ListObjectsV2Request.builder().bucket(bucket).prefix(objectPrefix).maxKeys(limit);
    after.ifPresent(request::startAfter);
    return calling(() -> client.listObjectsV2(request.build()));
  }

  /** Makes a call; a failure becomes an {@link IOException}. */
  static <T> T calling(Supplier<T> call) throws IOException {
    try {
      return call.get();
    } catch (SdkException e) {
      throw failed(e);
    }
  }

  private static IOException failed(SdkException e) {
    return new IOException("S3 request failed: " + e.getMessage(), e);
  }

  private static <T> Optional<T> there(Supplier<T> call) throws IOException {
    try {
      return Optional.of(call.get());
    } catch (NoSuchKeyException none) {
      return Optional.empty();
    } catch (SdkException e) {
      throw failed(e);
    }
  }
}
