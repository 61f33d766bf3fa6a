package io.convoke.simulator.stores;

import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.OrphanReaper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A Redis Cluster on loopback, made of servers and their CLUSTER commands: masters that share the
 * slots evenly, each with one replica that is promoted when it dies.
 */
public final class EmbeddedRedisCluster implements AutoCloseable {
  private static final int SLOTS = 16_384;
  private static final int BUS_ABOVE = 10_000;
  private static final int PORTS_END = InstalledPrograms.PORTS_END - BUS_ABOVE;
  private static final int PORT_TRIES = 200;

  /** A node that is silent for so long counts as failed. */
  private static final int SILENT_MILLIS = 1000;

  private final String password = UUID.randomUUID().toString();
  private final List<EmbeddedRedis> servers = new ArrayList<>();

  private EmbeddedRedisCluster(Path program, Path folder, OrphanReaper orphanReaper, int masters) {
    for (int i = 0; i < 2 * masters; i++) {
      servers.add(
          EmbeddedRedis.clusterNode(
              program,
              folder.resolve("node-" + i),
              orphanReaper,
              freePort(),
              password,
              SILENT_MILLIS));
    }
    for (int i = 0; i < servers.size(); i++) {
      meetTheOthers(servers.get(i), i + 1);
    }
    for (int i = 0; i < masters; i++) {
      String slots =
          IntStream.range(i * SLOTS / masters, (i + 1) * SLOTS / masters)
              .mapToObj(Integer::toString)
              .collect(Collectors.joining(" "));
      tell(servers.get(i), "CLUSTER ADDSLOTS " + slots);
    }
    ClusterReadiness.await(
        "the nodes of the cluster",
        () -> servers.stream().allMatch(each -> nodes(each).count() == servers.size()));
    for (int i = 0; i < masters; i++) {
      String id = reply(servers.get(i).command("CLUSTER MYID\r\n"));
      tell(servers.get(masters + i), "CLUSTER REPLICATE " + id);
    }
    awaitWhole();
  }

  static EmbeddedRedisCluster start(
      Path program, Path folder, OrphanReaper orphanReaper, int masters) {
    return new EmbeddedRedisCluster(program, folder, orphanReaper, masters);
  }

  /** {@code redis-cluster://:pass@127.0.0.1:port,127.0.0.1:port}: three of its servers. */
  public String url() {
    return "redis-cluster://:%s@%s"
        .formatted(
            password,
            servers.stream()
                .skip(1)
                .limit(3)
                .map(each -> "127.0.0.1:" + each.port())
                .collect(Collectors.joining(",")));
  }

  /** All servers, masters of the beginning first. */
  public List<EmbeddedRedis> servers() {
    return List.copyOf(servers);
  }

  /** The master of a slot, as most of its servers see it. */
  public EmbeddedRedis masterOf(int slot) {
    return servers.stream()
        .flatMap(each -> owner(each, slot).stream())
        .collect(Collectors.groupingBy(port -> port, Collectors.counting()))
        .entrySet()
        .stream()
        .max(java.util.Map.Entry.comparingByValue())
        .map(most -> at(most.getKey()))
        .orElseThrow(() -> new ChildProcessException("no node serves slot " + slot));
  }

  /**
   * Ends the master of a slot as a crash would, and answers it. Its replica is master a second or
   * two later.
   */
  public EmbeddedRedis killMasterOf(int slot) {
    EmbeddedRedis master = masterOf(slot);
    master.kill();
    return master;
  }

  /**
   * The same, and writes of the master from now on are lost with it: its replica does not receive
   * them.
   */
  public EmbeddedRedis killMasterLosing(int slot, Runnable meanwhile) {
    EmbeddedRedis master = masterOf(slot);
    List<EmbeddedRedis> replicas =
        servers.stream()
            .filter(
                each ->
                    each.command("INFO replication\r\n").contains("master_port:" + master.port()))
            .toList();
    replicas.forEach(each -> each.setUnresponsive(true));
    master.dropReplicas();
    meanwhile.run();
    master.kill();
    replicas.forEach(each -> each.setUnresponsive(false));
    return master;
  }

  /** Waits until every slot has a living master with a replica that has caught up. */
  public void awaitWhole() {
    ClusterReadiness.await(
        "the cluster",
        () ->
            servers.stream()
                .allMatch(
                    each ->
                        each.command("CLUSTER INFO\r\n").contains("cluster_state:ok")
                            && nodes(each).noneMatch(line -> line.contains("fail"))
                            && (each.command("INFO replication\r\n").contains("role:master")
                                || each.follows())
                            && nodes(each).filter(line -> line.contains("slave")).count()
                                == servers.size() / 2));
  }

  /**
   * Starts to migrate a slot to another master: from now on missing keys are redirected to it one
   * by one.
   */
  public void beginMove(int slot, EmbeddedRedis from, EmbeddedRedis to) {
    tell(to, "CLUSTER SETSLOT %d IMPORTING %s".formatted(slot, id(from)));
    tell(from, "CLUSTER SETSLOT %d MIGRATING %s".formatted(slot, id(to)));
  }

  /** Moves the keys of a slot and makes the other master its owner. */
  public void endMove(int slot, EmbeddedRedis from, EmbeddedRedis to) {
    for (String key = firstKey(from, slot); !key.isEmpty(); key = firstKey(from, slot)) {
      tell(from, "MIGRATE 127.0.0.1 %d \"%s\" 0 5000 AUTH %s".formatted(to.port(), key, password));
    }
    tell(to, "CLUSTER SETSLOT %d NODE %s".formatted(slot, id(to)));
    tell(from, "CLUSTER SETSLOT %d NODE %s".formatted(slot, id(to)));
  }

  @Override
  public void close() {
    // Killed: their data is not needed.
    servers.forEach(EmbeddedRedis::kill);
  }

  private static String firstKey(EmbeddedRedis server, int slot) {
    return server
        .command("CLUSTER GETKEYSINSLOT " + slot + " 1\r\n")
        .lines()
        .filter(line -> line.contains("{"))
        .findFirst()
        .orElse("");
  }

  private void meetTheOthers(EmbeddedRedis one, int from) {
    for (EmbeddedRedis other : servers.subList(from, servers.size())) {
      tell(one, "CLUSTER MEET 127.0.0.1 " + other.port());
    }
  }

  private static void tell(EmbeddedRedis server, String command) {
    String answer = server.command(command + "\r\n");
    if (answer.isEmpty() || answer.startsWith("-") || answer.contains("\n-")) {
      throw new ChildProcessException(
          command.substring(0, Math.min(40, command.length())) + " was answered " + answer);
    }
  }

  private static String id(EmbeddedRedis server) {
    return reply(server.command("CLUSTER MYID\r\n"));
  }

  /** The reply text of a command: behind +OK for the password and its own length. */
  private static String reply(String answer) {
    return answer.lines().skip(2).findFirst().orElse("");
  }

  /** The lines of CLUSTER NODES: id, address, flags, master, ping, pong, epoch, link, slots. */
  private static Stream<String> nodes(EmbeddedRedis server) {
    return server
        .command("CLUSTER NODES\r\n")
        .lines()
        .filter(line -> line.contains("@") && !line.contains("handshake"));
  }

  private static Optional<Integer> owner(EmbeddedRedis asked, int slot) {
    return nodes(asked)
        .map(line -> line.split(" ", -1))
        .filter(fields -> fields[2].contains("master") && !fields[2].contains("fail"))
        .filter(
            fields ->
                Stream.of(fields)
                    .skip(8)
                    .filter(range -> !range.startsWith("["))
                    .anyMatch(range -> holds(range, slot)))
        .map(fields -> Integer.valueOf(fields[1].replaceAll("^[^:]*:(\\d+)@.*", "$1")))
        .findFirst();
  }

  private static boolean holds(String range, int slot) {
    String[] ends = range.split("-", -1);
    return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
  }

  private EmbeddedRedis at(int port) {
    return servers.stream().filter(each -> each.port() == port).findFirst().orElseThrow();
  }

  private static int freePort() {
    for (int i = 0; i < PORT_TRIES; i++) {
      int port = InstalledPrograms.freePort();
      if (port < PORTS_END && InstalledPrograms.free(port + BUS_ABOVE)) {
        return port;
      }
    }
    throw new ChildProcessException("no free pair of ports for a node of a cluster");
  }
}
