package io.convoke.chaos.flows;

import io.convoke.engine.durable.ActivityContext;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls of activities to a system outside of the engine and its database, which may be slow, silent
 * or away: a counter in Redis for each activity.
 */
final class OutsideCalls {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Optional<URI> system;

  /** Without a system there are no calls. */
  OutsideCalls(Optional<String> url) {
    this.system = url.map(URI::create);
  }

  /** Counts an attempt; calls again until the system answers. */
  void count(ActivityContext context) throws InterruptedException {
    while (system.isPresent() && !counted(system.get(), context.key())) {
      LockSupport.parkNanos(PAUSE.toNanos());
      context.heartbeat();
    }
  }

  private static boolean counted(URI system, String key) {
    String password = system.getUserInfo().substring(system.getUserInfo().indexOf(':') + 1);
    try (Socket socket = new Socket()) {
      socket.setSoTimeout((int) ANSWER_MAX.toMillis());
      socket.connect(
          new InetSocketAddress(system.getHost(), system.getPort()), (int) ANSWER_MAX.toMillis());
      String commands = "AUTH %s\r\nINCR outside:%s\r\n".formatted(password, key);
      socket.getOutputStream().write(commands.getBytes(StandardCharsets.UTF_8));
      return line(socket.getInputStream()).equals("+OK")
          && line(socket.getInputStream()).startsWith(":");
    } catch (IOException away) {
      return false;
    }
  }

  private static String line(InputStream answer) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = answer.read(); next >= 0 && next != '\n'; next = answer.read()) {
      line.append((char) next);
    }
    return line.toString().strip();
  }
}
