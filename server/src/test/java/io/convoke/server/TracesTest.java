package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.server.meetings.PostMeetingOrder;
import io.convoke.server.trace.Traceparent;
import io.convoke.simulator.stores.LocalStores;
import io.opentelemetry.context.Scope;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server does for a caller reaches the caller's trace, at a collector that speaks OTLP. */
class TracesTest {
  private static final String ADMIN = "the-admins-token";
  private static final Duration LONG = Duration.ofSeconds(30);

  private final LinkedBlockingQueue<ResourceSpans> received = new LinkedBlockingQueue<>();
  private final List<Span> spans = new ArrayList<>();
  private final String databaseUrl = MigratedDatabase.url();
  @TempDir private Path folder;
  private HttpServer collector;
  private App app;

  @BeforeEach
  void start() throws IOException {
    collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    var _ =
        collector.createContext(
            "/v1/traces",
            exchange -> {
              received.addAll(
                  ExportTraceServiceRequest.parseFrom(exchange.getRequestBody())
                      .getResourceSpansList());
              exchange.sendResponseHeaders(200, -1);
              exchange.close();
            });
    collector.start();
    app =
        App.start(
            ServerConfig.of(
                Map.of(
                    "CONVOKE_PORT",
                    "0",
                    "CONVOKE_DATABASE_URL",
                    databaseUrl,
                    "CONVOKE_REDIS_URL",
                    LocalStores.forTests().redis().url(),
                    "CONVOKE_SECRET_KEY",
                    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                    "CONVOKE_ADMIN_TOKEN",
                    ADMIN,
                    "CONVOKE_TRACES_URL",
                    "http://127.0.0.1:" + collector.getAddress().getPort())),
            EnumSet.allOf(NodeRole.class),
            folder);
  }

  @AfterEach
  void stop() {
    app.close();
    collector.stop(0);
  }

  @Test
  void aRequestIsInTheTraceOfItsCaller() throws Exception {
    String asked = "4bf92f3577b34da6a3ce929d0e0e4736";
    var _ =
        ContractClient.of(app.url())
            .with("X-Admin-API-Key", ADMIN)
            .with("traceparent", "00-" + asked + "-00f067aa0ba902b7-01")
            .get("/workflows")
            .expect(200);
    await(asked, "GET /workflows");
  }

  @Tag("nightly")
  @Test
  void turnsAndActivitiesAreInTheTraceOfTheRequestThatStartedThem() throws Exception {
    String ended = "0af7651916cd43dd8448eb211c80319c";
    try (Scope _ = Traceparent.context("00-" + ended + "-b7ad6b7169203331-01").makeCurrent()) {
      endMeeting();
    }
    await(ended, "turn post-meeting");
    await(ended, "activity ");
  }

  private void endMeeting() {
    try (Database database =
        Database.open(DatabaseUrl.parse(databaseUrl), 1, "test", Migrations.SCHEMAS)) {
      database.run(
          tx ->
              PostMeetingOrder.order(
                  tx,
                  tx.sql(
                          """
                          with owner as (
                            insert into users (email) values ('ann@example.org') returning id)
                          insert into meetings
                            (user_id, platform, platform_specific_id, status, connection_id)
                          select id, 'daily', 'standup', 'completed', 'c' from owner
                          returning id
                          """)
                      .one(resultRow -> resultRow.longAt("id"))));
    }
  }

  /** Waits for a span of a trace whose name begins so. */
  private void await(String trace, String name) throws InterruptedException {
    long end = System.nanoTime() + LONG.toNanos();
    while (spans.stream().noneMatch(span -> in(trace, span) && span.getName().startsWith(name))) {
      ResourceSpans next = received.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      assertThat(next)
          .as(name + " among " + spans.stream().map(Span::getName).toList())
          .isNotNull();
      assertThat(next.getResource().getAttributesList().toString())
          .contains("service.instance.id", "convoke");
      next.getScopeSpansList().forEach(scope -> spans.addAll(scope.getSpansList()));
    }
  }

  private static boolean in(String trace, Span span) {
    return HexFormat.of().formatHex(span.getTraceId().toByteArray()).equals(trace);
  }
}
