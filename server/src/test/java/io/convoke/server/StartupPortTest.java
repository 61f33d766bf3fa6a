package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.listener.ListenFailure;
import io.convoke.server.launch.Await;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server says while it starts. */
class StartupPortTest {
  private static final String HOST = "127.0.0.1";

  private final int port = InstalledPrograms.freePort();
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    http.close();
  }

  @Test
  void aServerThatStartsForLongIsAliveAndNotReadyAndFreesItsPort() throws Exception {
    try (StartupPort _ = new StartupPort(HOST, port, Duration.ZERO)) {
      Await.until("the port", () -> answers("/livez"));
      assertThat(get("/livez").body()).isEqualTo("{\"status\":\"ok\"}");
      for (String path : new String[] {"/readyz", "/meetings"}) {
        HttpResponse<String> answer = get(path);
        assertThat(answer.statusCode()).as(path).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).contains("1");
        assertThat(answer.body()).contains("\"code\":\"not_ready\"");
      }
    }
    listenHere();
  }

  @Test
  void aServerThatHasStartedBeforeOpensNone() throws Exception {
    try (StartupPort _ = new StartupPort(HOST, port, Duration.ofDays(1))) {
      listenHere();
    }
  }

  /** Whether another socket can listen on the port. */
  private void listenHere() throws IOException {
    try (ServerSocket listener = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(listener.isBound()).isTrue();
    }
  }

  @Tag("nightly")
  @Test
  void aServerWithoutItsPostgresIsAliveAndServesOncePostgresIsThere(@TempDir Path folder)
      throws Exception {
    try (EmbeddedPostgres postgres = LocalStores.forTests().ownPostgres()) {
      postgres.stop();
      ServerConfig config = config(postgres.url("postgres"));
      CompletableFuture<App> starting =
          CompletableFuture.supplyAsync(
              () -> App.start(config, EnumSet.allOf(NodeRole.class), folder),
              Thread::startVirtualThread);
      Await.until("the port", Duration.ofMinutes(1), () -> answers("/livez"));
      assertThat(get("/readyz").statusCode()).isEqualTo(503);
      assertThat(starting).isNotDone();
      postgres.restart();
      try (App _ = starting.get(1, TimeUnit.MINUTES)) {
        assertThat(get("/livez").statusCode()).isEqualTo(200);
        assertThat(get("/openapi.yaml").statusCode()).isEqualTo(200);
      }
    }
  }

  /** Its workflows have begun to take work, which a stop in order hands back. */
  @Test
  void aServerThatCannotListenStopsWhatItHasStarted(@TempDir Path folder) throws Exception {
    String url = LocalStores.forTests().freshDatabase();
    try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        Database database = Database.open(DatabaseUrl.parse(url), 1, "test", List.of("public"))) {
      ServerConfig config = config(url);
      assertThatThrownBy(() -> App.start(config, EnumSet.allOf(NodeRole.class), folder))
          .isInstanceOf(ListenFailure.class);
      Await.until("the end of its connections", () -> others(database) == 0);
    }
  }

  private static long others(Database database) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select count(*) as n from pg_stat_activity
                    where datname = current_database() and backend_type = 'client backend'
                      and pid <> pg_backend_pid()
                    """)
                .one(row -> row.longAt("n")));
  }

  private boolean answers(String path) {
    try {
      return get(path).statusCode() == 200;
    } catch (UncheckedIOException e) {
      return false; // It does not listen yet.
    }
  }

  private HttpResponse<String> get(String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + HOST + ":" + port + path))
            .timeout(Duration.ofSeconds(20))
            .build();
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private ServerConfig config(String database) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", Integer.toString(port));
    settings.put("CONVOKE_DATABASE_URL", database);
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_ADMIN_TOKEN", "the-admins-token");
    settings.put("CONVOKE_BOT_COMMAND", "exec sleep 30");
    return ServerConfig.of(settings);
  }
}
