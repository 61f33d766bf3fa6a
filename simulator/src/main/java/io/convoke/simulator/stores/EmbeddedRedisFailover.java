package io.convoke.simulator.stores;

import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.GuardedProcess;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.OrphanReaper;
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
public final class EmbeddedRedisFailover implements AutoCloseable {
  private static final String NAME = "convoke";

  private final Path program;
  private final EmbeddedRedis master;
  private final List<EmbeddedRedis> replicas = new ArrayList<>();
  private final List<EmbeddedSentinel> sentinels = new ArrayList<>();

  private record EmbeddedSentinel(int port, GuardedProcess process) {}

  private EmbeddedRedisFailover(
      Path program, Path folder, OrphanReaper orphanReaper, int replicaCount, int sentinelCount) {
    this.program = program;
    this.master = EmbeddedRedis.start(program, folder.resolve("master"), orphanReaper);
    for (int i = 0; i < replicaCount; i++) {
      replicas.add(EmbeddedRedis.replica(folder.resolve("replica-" + i), orphanReaper, master));
    }
    ClusterReadiness.await(
        "the replicas", () -> replicas.stream().allMatch(EmbeddedRedis::follows));
    for (int i = 0; i < sentinelCount; i++) {
      sentinels.add(sentinel(folder, orphanReaper, i, sentinelCount / 2 + 1));
    }
    ClusterReadiness.await(
        "the Sentinels",
        () ->
            sentinels.stream()
                .allMatch(
                    each -> sees(each.port, replicas) && agrees(each.port, sentinels.size())));
  }

  static EmbeddedRedisFailover start(Path folder, OrphanReaper orphanReaper) {
    return start(StoreBinaries.redis(), folder, orphanReaper, 1, 1);
  }

  static EmbeddedRedisFailover start(
      Path program, Path folder, OrphanReaper orphanReaper, int replicas, int sentinels) {
    return new EmbeddedRedisFailover(program, folder, orphanReaper, replicas, sentinels);
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
  public EmbeddedRedis master() {
    return master;
  }

  /** Ends the master as a crash would. The Sentinels notice within a second or two. */
  public void killMaster() {
    master.kill();
  }

  /** The same, and writes of the master from now on are lost with it: no replica receives them. */
  public void killMasterLosing(Runnable meanwhile) {
    replicas.forEach(each -> each.setUnresponsive(true));
    master.dropReplicas();
    meanwhile.run();
    master.kill();
    replicas.forEach(each -> each.setUnresponsive(false));
  }

  @Override
  public void close() {
    sentinels.forEach(each -> each.process.stop());
    replicas.forEach(EmbeddedRedis::close);
    master.close();
  }

  private static boolean sees(int port, List<EmbeddedRedis> replicas) {
    String known = ask(port, "SENTINEL REPLICAS " + NAME);
    return replicas.stream().allMatch(each -> known.contains("" + each.port()));
  }

  private static boolean agrees(int port, int sentinels) {
    return ask(port, "SENTINEL CKQUORUM " + NAME).startsWith("+OK " + sentinels);
  }

  /** A Sentinel keeps its state in its own configuration file. */
  private EmbeddedSentinel sentinel(
      Path folder, OrphanReaper orphanReaper, int number, int quorum) {
    int port = InstalledPrograms.freePort();
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
      throw new ChildProcessException("cannot prepare a Sentinel in " + home, e);
    }
    List<String> command = new ArrayList<>(InstalledPrograms.ownSession());
    command.addAll(List.of(program.toString(), file.toString(), "--sentinel"));
    GuardedProcess process =
        GuardedProcess.start(
            "Sentinel",
            new ProcessBuilder(command),
            new byte[0],
            home.resolve("sentinel.log"),
            orphanReaper,
            "TERM",
            () -> ask(port, "PING").contains("+PONG"));
    return new EmbeddedSentinel(port, process);
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
