package io.convoke.agent.blobs;

import static io.convoke.agent.blobs.S3BlobStore.calling;

import io.convoke.agent.blobs.BlobStore.StoredBlob;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.services.s3.model.UploadPartCopyResponse;

/**
 * A blob that is uploaded as chunks of one size, each an object named by its offset. An object
 * cannot grow, so a chunk is rewritten until it is full; bytes for which {@link #append} returned
 * are in the store. Completing joins the chunks by copying inside the store.
 */
final class S3PartialBlob implements PartialBlob {
  private final S3BlobStore store;
  private final S3Client client;
  private final String chunks;
  private final String target;
  private final byte[] tail;
  private int tailed;
  private Sha256 sha256 = new Sha256();
  private long size;

  /** Reads the stored chunks for the digest; a mismatching chunk is deleted. */
  S3PartialBlob(S3BlobStore store, String chunks, String target, int chunk) throws IOException {
    this.store = store;
    this.client = store.client();
    this.chunks = chunks;
    this.target = target;
    this.tail = new byte[chunk];
    for (S3Object object : store.all(chunks)) {
      boolean fits =
          object.key().equals(name(size))
              && size % chunk == 0
              && object.size() > 0
              && object.size() <= chunk;
      if (fits) {
        byte[] bytes = read(object.key());
        sha256.add(bytes, 0, bytes.length);
        size += bytes.length;
        tailed = bytes.length % chunk;
        System.arraycopy(bytes, 0, tail, 0, tailed);
      } else {
        store.delete(object.key());
      }
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public long append(InputStream content, long most) throws IOException {
    long added = 0;
    boolean unwritten = false;
    try {
      while (added < most) {
        int room = (int) Math.min(tail.length - tailed, most - added);
        int read = content.read(tail, tailed, room);
        if (read < 0) {
          break;
        }
        sha256.add(tail, tailed, read);
        tailed += read;
        size += read;
        added += read;
        unwritten = true;
        if (tailed == tail.length) {
          write();
          tailed = 0;
          unwritten = false;
        }
      }
    } catch (IOException e) {
      if (unwritten) {
        write();
      }
      throw e;
    }
    if (unwritten) {
      write();
    }
    return added;
  }

  @Override
  public StoredBlob complete() throws IOException {
    if (size == 0) {
      store.putObject(target, new byte[0]);
    } else {
      join();
    }
    StoredBlob storedBlob = new StoredBlob(size, sha256.hex());
    discard();
    return storedBlob;
  }

  @Override
  public void discard() throws IOException {
    for (S3Object object : store.all(chunks)) {
      store.delete(object.key());
    }
    sha256 = new Sha256();
    size = 0;
    tailed = 0;
  }

  private void join() throws IOException {
    String upload =
        calling(
            () ->
                client
                    .createMultipartUpload(request -> request.bucket(store.bucket()).key(target))
                    .uploadId());
    boolean joined = false;
    try {
      List<CompletedPart> parts = new ArrayList<>();
      for (long from = 0; from < size; from += tail.length) {
        parts.add(copy(upload, parts.size() + 1, name(from)));
      }
      var _ =
          calling(
              () ->
                  client.completeMultipartUpload(
                      request ->
                          request
                              .bucket(store.bucket())
                              .key(target)
                              .uploadId(upload)
                              .multipartUpload(all -> all.parts(parts))));
      joined = true;
    } finally {
      if (!joined) {
        var _ =
            calling(
                () ->
                    client.abortMultipartUpload(
                        request -> request.bucket(store.bucket()).key(target).uploadId(upload)));
      }
    }
  }

  private CompletedPart copy(String upload, int number, String chunk) throws IOException {
    UploadPartCopyResponse copied =
        calling(
            () ->
                client.uploadPartCopy(
                    request ->
                        request
                            .sourceBucket(store.bucket())
                            .sourceKey(chunk)
                            .destinationBucket(store.bucket())
                            .destinationKey(target)
                            .uploadId(upload)
                            .partNumber(number)));
    return CompletedPart.builder().partNumber(number).eTag(copied.copyPartResult().eTag()).build();
  }

  private void write() throws IOException {
    store.putObject(name(size - tailed), Arrays.copyOf(tail, tailed));
  }

  private byte[] read(String key) throws IOException {
    try (InputStream stream = calling(() -> store.object(key, 0))) {
      return stream.readAllBytes();
    }
  }

  private String name(long from) {
    return chunks + "%016d".formatted(from);
  }
}
