package io.convoke.engine.redis;

import io.lettuce.core.cluster.SlotHash;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which node serves which slot of a cluster, read from CLUSTER NODES. Where they disagree, the
 * claim with the higher epoch holds, as it does among the nodes themselves: a partitioned former
 * master loses to the node that was elected in its place.
 */
final class ClusterSlotMap {
  static final ClusterSlotMap EMPTY = new ClusterSlotMap(new NodeAddress[0], Set.of());

  private static final int NAME = 1;
  private static final int FLAGS = 2;
  private static final int EPOCH = 6;
  private static final int SLOTS = 8;

  /** By slot; null for an unassigned slot. */
  private final @Nullable NodeAddress[] owners;

  private final Set<NodeAddress> members;

  private ClusterSlotMap(@Nullable NodeAddress[] owners, Set<NodeAddress> members) {
    this.owners = owners;
    this.members = members;
  }

  /** Puts together what nodes answered, each with its own address. */
  static ClusterSlotMap of(Map<NodeAddress, String> answers) {
    @Nullable NodeAddress[] owners = new NodeAddress[SlotHash.SLOT_COUNT];
    long[] epochs = new long[SlotHash.SLOT_COUNT];
    Arrays.fill(epochs, -1);
    Set<NodeAddress> members = new LinkedHashSet<>();
    answers.forEach(
        (asked, text) ->
            text.lines()
                .map(line -> line.split(" ", -1))
                .filter(words -> words.length >= SLOTS)
                .filter(words -> !words[FLAGS].matches(".*(handshake|noaddr).*"))
                .forEach(words -> take(words, asked, owners, epochs, members)));
    return new ClusterSlotMap(owners, Set.copyOf(members));
  }

  private static void take(
      String[] words,
      NodeAddress asked,
      @Nullable NodeAddress[] owners,
      long[] epochs,
      Set<NodeAddress> members) {
    NodeAddress node = NodeAddress.of(words[NAME].replaceAll("@.*", ""), asked);
    boolean _ = members.add(node);
    if (!words[FLAGS].contains("master")) {
      return;
    }
    long epoch = Long.parseLong(words[EPOCH]);
    for (int i = SLOTS; i < words.length; i++) {
      if (words[i].startsWith("[")) {
        // On its way from one node to another; it is its owner's until it has arrived.
        continue;
      }
      String[] ends = words[i].split("-", -1);
      int last = Integer.parseInt(ends[ends.length - 1]);
      for (int slot = Integer.parseInt(ends[0]); slot <= last; slot++) {
        if (epoch > epochs[slot]) {
          epochs[slot] = epoch;
          owners[slot] = node;
        }
      }
    }
  }

  Optional<NodeAddress> owner(int slot) {
    return slot < owners.length ? Optional.ofNullable(owners[slot]) : Optional.empty();
  }

  /** The same map with one slot at another node, which said so itself. */
  ClusterSlotMap moved(int slot, NodeAddress owner) {
    @Nullable NodeAddress[] changed = Arrays.copyOf(owners, SlotHash.SLOT_COUNT);
    changed[slot] = owner;
    return new ClusterSlotMap(changed, members);
  }

  /** All nodes with slots. */
  Set<NodeAddress> owners() {
    return Arrays.stream(owners)
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .collect(Collectors.toCollection(HashSet::new));
  }

  /** The nodes that now serve the slots of a given node. */
  Set<NodeAddress> heirs(ClusterSlotMap before, NodeAddress node) {
    Set<NodeAddress> heirs = new HashSet<>();
    for (int slot = 0; slot < before.owners.length; slot++) {
      NodeAddress heir = owners[slot];
      if (heir != null && node.equals(before.owners[slot])) {
        boolean _ = heirs.add(heir);
      }
    }
    return heirs;
  }

  /** All nodes, masters and replicas. */
  Set<NodeAddress> members() {
    return members;
  }
}
