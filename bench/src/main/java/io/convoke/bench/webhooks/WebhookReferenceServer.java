package io.convoke.bench.webhooks;

import io.convoke.bench.LogSilencer;
import io.convoke.bench.load.ReferenceServer;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRouting;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * The references, on the same HTTP server with the same listener: {@code bare} reads the body and
 * answers, {@code naive} does the work of a first version. Configured by environment like any
 * server.
 */
public final class WebhookReferenceServer {
  static final String REDIS_URL = "REFERENCE_REDIS_URL";
  static final String SECRET = "REFERENCE_SECRET";

  private WebhookReferenceServer() {}

  public static void main(String[] args) {
    LogSilencer.libraries();
    Handler handler =
        switch (args[0]) {
          case "bare" -> bare();
          case "naive" -> naive();
          case String other -> throw new IllegalArgumentException("no reference " + other);
        };
    ReferenceServer.start(HttpRouting.builder().post(SignedEvents.PATH, handler));
  }

  /** No work at all: the ceiling that HTTP sets. */
  private static Handler bare() {
    return (request, response) -> {
      byte[] _ = request.content().as(byte[].class);
      response.send();
    };
  }

  /** The signature, the room, and one SET that is awaited. */
  private static Handler naive() {
    RedisCommands<String, String> redis =
        RedisClient.create(System.getenv(REDIS_URL)).connect().sync();
    NaiveWebhookHandler handler = new NaiveWebhookHandler(redis, System.getenv(SECRET));
    return handler::handle;
  }
}
