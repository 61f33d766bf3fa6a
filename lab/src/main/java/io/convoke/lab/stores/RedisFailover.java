package io.convoke.lab.stores;

import io.convoke.lab.child.Child;
import io.convoke.lab.child.ChildFailure;
import io.convoke.lab.child.Guardian;
import io.convoke.lab.child.Programs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A Redis with a replica and a Sentinel that makes the replica master when the first one dies. */
public final class RedisFailover implements AutoCloseable {
  private static final String NAME = "convoke";
  private static final Duration READY_MAX = Duration.ofSeconds(20);

  private final RedisServer master;
  private final RedisServer replica;
  private final Child sentinel;
  private final int port = Programs.freePort();

  private RedisFailover(Path folder, Guardian guardian) {
    master = RedisServer.start(folder.resolve("master"), guardian);
    replica = RedisServer.replica(folder.resolve("replica"), guardian, master);
    sentinel = sentinel(folder, guardian);
    await("the replica", replica::follows);
    await("the Sentinel", () -> ask("SENTINEL REPLICAS " + NAME).contains("" + replica.port()));
  }

  static RedisFailover start(Path folder, Guardian guardian) {
    return new RedisFailover(folder, guardian);
  }

  /** {@code redis-sentinel://:pass@127.0.0.1:port/0#name}. */
  public String url() {
    return "redis-sentinel://:%s@127.0.0.1:%d/0#%s".formatted(master.password(), port, NAME);
  }

  /** The one that is master at first. */
  public RedisServer master() {
    return master;
  }

  /** Ends the master as a crash would. The Sentinel notices within a second or two. */
  public void killMaster() {
    master.kill();
  }

  @Override
  public void close() {
    sentinel.stop();
    replica.close();
    master.close();
  }

  /** A Sentinel keeps its state in its own configuration file. */
  private Child sentinel(Path folder, Guardian guardian) {
    Path file = folder.resolve("sentinel.conf");
    try {
      Files.writeString(
          file,
          """
          bind 127.0.0.1
          port %d
          dir %s
          sentinel monitor %s 127.0.0.1 %d 1
          sentinel auth-pass %s %s
          sentinel down-after-milliseconds %s 500
          sentinel failover-timeout %s 3000
          """
              .formatted(
                  port,
                  folder.toAbsolutePath(),
                  NAME,
                  master.port(),
                  NAME,
                  master.password(),
                  NAME,
                  NAME));
    } catch (IOException e) {
      throw new ChildFailure("cannot prepare the Sentinel in " + folder, e);
    }
    List<String> command = new ArrayList<>(Programs.ownSession());
    command.addAll(List.of(Binaries.redis().toString(), file.toString(), "--sentinel"));
    return Child.start(
        "Sentinel",
        new ProcessBuilder(command),
        new byte[0],
        folder.resolve("sentinel.log"),
        guardian,
        "TERM",
        () -> ask("PING").contains("+PONG"));
  }

  private String ask(String command) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(2000);
      socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }

  private static void await(String what, BooleanSupplier ready) {
    long deadline = System.nanoTime() + READY_MAX.toNanos();
    while (!ready.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new ChildFailure(what + " was not ready after " + READY_MAX.toSeconds() + " s");
      }
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
  }
}
