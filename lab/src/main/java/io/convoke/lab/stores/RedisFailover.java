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
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A Redis with replicas and Sentinels that make one of them master when the first one dies. More
 * than half of the Sentinels have to agree.
 */
public final class RedisFailover implements AutoCloseable {
  private static final String NAME = "convoke";

  private final Path program;
  private final RedisServer master;
  private final List<RedisServer> replicas = new ArrayList<>();
  private final List<Sentinel> sentinels = new ArrayList<>();

  private record Sentinel(int port, Child process) {}

  private RedisFailover(
      Path program, Path folder, Guardian guardian, int replicaCount, int sentinelCount) {
    this.program = program;
    this.master = RedisServer.start(program, folder.resolve("master"), guardian);
    for (int i = 0; i < replicaCount; i++) {
      replicas.add(RedisServer.replica(folder.resolve("replica-" + i), guardian, master));
    }
    Patience.await("the replicas", () -> replicas.stream().allMatch(RedisServer::follows));
    for (int i = 0; i < sentinelCount; i++) {
      sentinels.add(sentinel(folder, guardian, i, sentinelCount / 2 + 1));
    }
    Patience.await(
        "the Sentinels",
        () ->
            sentinels.stream()
                .allMatch(
                    each -> sees(each.port, replicas) && agrees(each.port, sentinels.size())));
  }

  static RedisFailover start(Path folder, Guardian guardian) {
    return start(Binaries.redis(), folder, guardian, 1, 1);
  }

  static RedisFailover start(
      Path program, Path folder, Guardian guardian, int replicas, int sentinels) {
    return new RedisFailover(program, folder, guardian, replicas, sentinels);
  }

  /** {@code redis-sentinel://:pass@127.0.0.1:port,127.0.0.1:port/0#name}. */
  public String url() {
    return "redis-sentinel://:%s@%s/0#%s"
        .formatted(
            master.password(),
            sentinels.stream()
                .map(each -> "127.0.0.1:" + each.port)
                .collect(Collectors.joining(",")),
            NAME);
  }

  /** The one that is master at first. */
  public RedisServer master() {
    return master;
  }

  /** Ends the master as a crash would. The Sentinels notice within a second or two. */
  public void killMaster() {
    master.kill();
  }

  /** The same, and what the master writes meanwhile is lost with it: no replica hears of it. */
  public void killMasterLosing(Runnable meanwhile) {
    replicas.forEach(each -> each.deaf(true));
    master.dropReplicas();
    meanwhile.run();
    master.kill();
    replicas.forEach(each -> each.deaf(false));
  }

  @Override
  public void close() {
    sentinels.forEach(each -> each.process.stop());
    replicas.forEach(RedisServer::close);
    master.close();
  }

  private static boolean sees(int port, List<RedisServer> replicas) {
    String known = ask(port, "SENTINEL REPLICAS " + NAME);
    return replicas.stream().allMatch(each -> known.contains("" + each.port()));
  }

  private static boolean agrees(int port, int sentinels) {
    return ask(port, "SENTINEL CKQUORUM " + NAME).startsWith("+OK " + sentinels);
  }

  /** A Sentinel keeps its state in its own configuration file. */
  private Sentinel sentinel(Path folder, Guardian guardian, int number, int quorum) {
    int port = Programs.freePort();
    Path home = folder.resolve("sentinel-" + number);
    Path file = home.resolve("sentinel.conf");
    try {
      Files.createDirectories(home);
      Files.writeString(
          file,
          """
          bind 127.0.0.1
          port %d
          dir %s
          sentinel monitor %s 127.0.0.1 %d %d
          sentinel auth-pass %s %s
          sentinel down-after-milliseconds %s 500
          sentinel failover-timeout %s 3000
          """
              .formatted(
                  port,
                  home.toAbsolutePath(),
                  NAME,
                  master.port(),
                  quorum,
                  NAME,
                  master.password(),
                  NAME,
                  NAME));
    } catch (IOException e) {
      throw new ChildFailure("cannot prepare a Sentinel in " + home, e);
    }
    List<String> command = new ArrayList<>(Programs.ownSession());
    command.addAll(List.of(program.toString(), file.toString(), "--sentinel"));
    Child process =
        Child.start(
            "Sentinel",
            new ProcessBuilder(command),
            new byte[0],
            home.resolve("sentinel.log"),
            guardian,
            "TERM",
            () -> ask(port, "PING").contains("+PONG"));
    return new Sentinel(port, process);
  }

  private static String ask(int port, String command) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(2000);
      socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }
}
