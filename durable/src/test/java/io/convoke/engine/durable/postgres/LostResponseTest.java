package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.DatabaseUrl;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A connection breaks after Postgres has committed and before it was heard: the engine does not
 * commit the same messages again, since it cannot know that they are not there.
 */
class LostResponseTest extends NodeTestKit {
  private static final LongPollConfig ON = LongPollConfig.defaults().on();
  private static final int CALLERS = 12;
  private static final String MARKER = "marked";

  @Test
  void aMessageWhoseCommitWasNotHeardIsQueuedOnce() throws Exception {
    try (CuttingProxy proxy = new CuttingProxy(port());
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      PostgresProvider node = keep(PostgresProvider.open(through(proxy), url, "durable", ON));
      List<Boolean> failed = new ArrayList<>();
      for (int round = 0; round < 5; round++) {
        proxy.arm();
        List<Future<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
          String id = MARKER + "-" + round + "-" + i;
          calls.add(callers.submit(() -> fails(node, id)));
        }
        for (Future<Boolean> call : calls) {
          failed.add(call.get());
        }
      }
      assertThat(proxy.cuts()).isEqualTo(5);
      assertThat(failed).contains(true);
      assertThat(most("orchestrator_queue")).isEqualTo(1);
      assertThat(most("worker_queue")).isEqualTo(1);
    }
  }

  private static boolean fails(PostgresProvider node, String id) {
    try {
      node.enqueueForOrchestrator(new InstanceMessage(id, "{}"));
      node.enqueueForWorker(new WorkMessage(id, 1, 1, "{}", Optional.empty()));
      return false;
    } catch (ProviderFailure e) {
      return e.retryable();
    }
  }

  /** The most rows that one call has left. */
  private int most(String table) {
    return foreign.read(
        tx ->
            tx.sql(
                    "select max(n)::int as n from (select count(*) as n from "
                        + table
                        + " group by instance_id) as counted")
                .one(row -> row.intAt("n")));
  }

  private int port() {
    return URI.create(url.jdbc().substring("jdbc:".length())).getPort();
  }

  private DatabaseUrl through(CuttingProxy proxy) {
    return new DatabaseUrl(
        url.jdbc().replace(":" + port(), ":" + proxy.port()), url.user(), url.password());
  }

  /**
   * A proxy that, once armed, lets the next request with the marker reach Postgres, waits for the
   * response, and cuts the connection instead of passing it on.
   */
  private static final class CuttingProxy implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicBoolean armed = new AtomicBoolean();
    private final AtomicInteger cuts = new AtomicInteger();

    private CuttingProxy(int target) throws IOException {
      this.target = target;
      Thread _ = Thread.ofVirtual().start(this::accept);
    }

    private int port() {
      return server.getLocalPort();
    }

    private void arm() {
      armed.set(true);
    }

    private int cuts() {
      return cuts.get();
    }

    @Override
    public void close() throws IOException {
      server.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    }

    private void accept() {
      try {
        while (true) {
          Socket client = server.accept();
          Socket upstream = new Socket(InetAddress.getLoopbackAddress(), target);
          sockets.addAll(List.of(client, upstream));
          AtomicBoolean cut = new AtomicBoolean();
          Thread _ = Thread.ofVirtual().start(() -> requests(client, upstream, cut));
          Thread _ = Thread.ofVirtual().start(() -> responses(upstream, client, cut));
        }
      } catch (IOException closed) {
        // The test is over.
      }
    }

    private void requests(Socket client, Socket upstream, AtomicBoolean cut) {
      byte[] buffer = new byte[65_536];
      try (client;
          upstream) {
        InputStream in = client.getInputStream();
        OutputStream out = upstream.getOutputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          String text = new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
          if (text.contains(MARKER) && armed.compareAndSet(true, false)) {
            cut.set(true);
          }
          out.write(buffer, 0, read);
        }
      } catch (IOException closed) {
        // Either end has closed.
      }
    }

    private void responses(Socket upstream, Socket client, AtomicBoolean cut) {
      byte[] buffer = new byte[65_536];
      try (client;
          upstream) {
        InputStream in = upstream.getInputStream();
        OutputStream out = client.getOutputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          if (cut.get()) {
            int _ = cuts.incrementAndGet();
            return;
          }
          out.write(buffer, 0, read);
        }
      } catch (IOException closed) {
        // Either end has closed.
      }
    }
  }
}
