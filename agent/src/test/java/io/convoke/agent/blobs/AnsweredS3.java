package io.convoke.agent.blobs;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Optional;

/** A server of S3 whose answers the test gives, and the store that asks it. */
final class AnsweredS3 implements AutoCloseable {
  private final HttpServer server;
  private final BlobStore store;

  /** {@code url} has the bucket and the prefix. */
  AnsweredS3(String url, HttpHandler answer) {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var _ = server.createContext("/", answer);
    server.start();
    store =
        new S3BlobStore(
            new BlobStoreConfig(
                url,
                Optional.of(URI.create("http://127.0.0.1:" + server.getAddress().getPort())),
                Optional.of("eu-central-1"),
                Optional.of(new BlobStoreConfig.S3Credentials("key", "secret"))));
  }

  BlobStore store() {
    return store;
  }

  @Override
  public void close() {
    store.close();
    server.stop(0);
  }
}
