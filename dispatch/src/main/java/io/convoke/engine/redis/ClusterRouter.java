package io.convoke.engine.redis;

import static io.lettuce.core.codec.StringCodec.UTF8;

import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.Waiter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes of a Redis Cluster. Each node that holds keys of ours is a {@link RedisNode} with its
 * own connection, opened on first use; a thread keeps the slot map up to date.
 *
 * <p>The thread reads the map at the start, after a MOVED answer, and four times a second while a
 * node in use is unreachable, because the cluster is then moving its slots to another node.
 * Otherwise it sends nothing.
 */
final class ClusterRouter implements NodeRouter {
  private static final Logger log = LoggerFactory.getLogger(ClusterRouter.class);
  private static final Duration FIRST_MAX = Duration.ofSeconds(3);
  private static final Duration ANSWER_MAX = Duration.ofMillis(1500);
  private static final Duration TROUBLED = Duration.ofMillis(250);
  private static final Duration QUIET = Duration.ofHours(1);

  /** Nodes asked for their slot map concurrently. */
  private static final int ASKED_MAX = 8;

  /** Redirections of one call. */
  private static final int MOVES_MAX = 4;

  private final RedisClient client;
  private final List<RedisURI> seeds;
  private final Runnable connected;
  private final Map<NodeAddress, RedisNode> servers = new ConcurrentHashMap<>();
  private final Waiter news = new Waiter();
  private final CountDownLatch tried = new CountDownLatch(1);
  private final BackgroundLoop thread;

  /** Replaced under this object's lock only. */
  private volatile ClusterSlotMap map = ClusterSlotMap.EMPTY;

  private volatile boolean asked;

  /** {@code connected} runs after each connect to each node. */
  ClusterRouter(RedisClient client, List<RedisURI> seeds, Runnable connected) {
    this.client = client;
    this.seeds = List.copyOf(seeds);
    this.connected = connected;
    this.thread = BackgroundLoop.start("redis-cluster", this::turn);
  }

  /** The slot of a key. */
  static int slot(String key) {
    return SlotHash.getSlot(key);
  }

  @Override
  public RedisNode of(String key) {
    int slot = slot(key);
    Optional<NodeAddress> owner = map.owner(slot);
    if (owner.isEmpty()) {
      awaitFirst();
      owner = map.owner(slot);
    }
    if (owner.isEmpty()) {
      ask();
      throw new RedisUnavailable(null);
    }
    return server(owner.get());
  }

  @Override
  public RedisNode only() {
    throw new IllegalStateException("this needs one Redis; a cluster cannot do it");
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> send(
      String key, Function<RedisNode, CompletableFuture<T>> sending) {
    return send(key, sending, MOVES_MAX);
  }

  private <T extends @Nullable Object> CompletableFuture<T> send(
      String key, Function<RedisNode, CompletableFuture<T>> sending, int moves) {
    CompletableFuture<T> sent;
    try {
      sent = sending.apply(of(key));
    } catch (RedisUnavailable e) {
      return CompletableFuture.failedFuture(e);
    }
    return sent.exceptionallyCompose(
        error -> {
          Throwable cause = error instanceof CompletionException e ? e.getCause() : error;
          if (cause instanceof MovedException movedException) {
            moved(slot(key), movedException);
            return moves > 0
                ? send(key, sending, moves - 1)
                : CompletableFuture.failedFuture(new RedisUnavailable(movedException));
          }
          if (cause instanceof RedisUnavailable) {
            ask();
          }
          return CompletableFuture.failedFuture(cause);
        });
  }

  /** Whether the map is known and every node that we use can be reached. */
  @Override
  public boolean up() {
    if (map.members().isEmpty()) {
      awaitFirst();
    }
    return !map.members().isEmpty() && servers.values().stream().allMatch(RedisNode::up);
  }

  /** The node to subscribe at: cluster nodes forward every published message to each other. */
  CompletionStage<RedisURI> anyNode() {
    List<NodeAddress> owners = new ArrayList<>(map.owners());
    Collections.shuffle(owners);
    return owners.stream()
        .findFirst()
        .<CompletionStage<RedisURI>>map(owner -> CompletableFuture.completedStage(uri(owner)))
        .orElseGet(() -> CompletableFuture.failedStage(new RedisUnavailable(null)));
  }

  @Override
  public void close() {
    news.close();
    thread.close();
    servers.values().forEach(RedisNode::close);
  }

  private RedisNode server(NodeAddress nodeAddress) {
    return servers.computeIfAbsent(
        nodeAddress,
        there -> new RedisNode(there.toString(), client, uri(there), connected, this::ask));
  }

  /** A call was redirected, so the slot map may have changed. */
  private void ask() {
    asked = true;
    news.wake();
  }

  private synchronized void moved(int slot, MovedException movedException) {
    NodeAddress asked =
        map.owner(slot).orElseGet(() -> new NodeAddress(seeds.getFirst().getHost(), 0));
    map = map.moved(slot, NodeAddress.of(movedException.address(), asked));
    ask();
  }

  private void turn() throws InterruptedException {
    asked = false;
    learn();
    tried.countDown();
    boolean well =
        !asked
            && !map.members().isEmpty()
            && servers.values().stream().allMatch(RedisNode::connected);
    boolean _ = news.await(well ? QUIET : TROUBLED);
    if (!well && !news.closed()) {
      // Requests that arrive meanwhile share the next read of the map.
      boolean _ = news.await(TROUBLED);
    }
  }

  /** Reads the map from the known nodes and closes connections to nodes without slots. */
  private void learn() throws InterruptedException {
    Map<NodeAddress, CompletableFuture<String>> questions = new HashMap<>();
    for (NodeAddress nodeAddress : whomToAsk()) {
      questions.put(nodeAddress, question(nodeAddress));
    }
    try {
      CompletableFuture.allOf(questions.values().toArray(CompletableFuture[]::new))
          .handle((done, error) -> true)
          .completeOnTimeout(true, ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
          .get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    Map<NodeAddress, String> answers = new HashMap<>();
    questions.forEach(
        (nodeAddress, question) -> {
          if (question.isDone() && !question.isCompletedExceptionally()) {
            answers.put(nodeAddress, question.join());
          }
        });
    if (answers.isEmpty()) {
      log.debug("no node of the cluster answers");
      return;
    }
    take(ClusterSlotMap.of(answers));
  }

  private void take(ClusterSlotMap fresh) {
    ClusterSlotMap before;
    synchronized (this) {
      before = map;
      map = fresh;
    }
    Set<NodeAddress> owners = fresh.owners();
    servers.forEach(
        (nodeAddress, redisNode) -> {
          if (!owners.contains(nodeAddress) && servers.remove(nodeAddress, redisNode)) {
            log.info("the node {} of the cluster has no slots any more", nodeAddress);
            redisNode.close();
            // Started at once, so that subscribers hear of the connect and rescan for missed
            // messages.
            fresh.heirs(before, nodeAddress).forEach(this::server);
          }
        });
  }

  private Set<NodeAddress> whomToAsk() {
    Set<NodeAddress> all = new LinkedHashSet<>(map.members());
    seeds.forEach(seed -> all.add(new NodeAddress(seed.getHost(), seed.getPort())));
    List<NodeAddress> some = new ArrayList<>(all);
    Collections.shuffle(some);
    return Set.copyOf(some.subList(0, Math.min(ASKED_MAX, some.size())));
  }

  private CompletableFuture<String> question(NodeAddress nodeAddress) {
    RedisNode known = servers.get(nodeAddress);
    StatefulRedisConnection<String, String> there = known == null ? null : known.connection();
    if (there != null) {
      return there.async().clusterNodes().toCompletableFuture();
    }
    return client
        .connectAsync(UTF8, uri(nodeAddress))
        .toCompletableFuture()
        .thenCompose(
            connection ->
                connection
                    .async()
                    .clusterNodes()
                    .whenComplete(
                        (done, error) -> {
                          var _ = connection.closeAsync();
                        }));
  }

  private RedisURI uri(NodeAddress nodeAddress) {
    return RedisURI.builder(seeds.getFirst())
        .withHost(nodeAddress.host())
        .withPort(nodeAddress.port())
        .build();
  }

  private void awaitFirst() {
    try {
      boolean _ = tried.await(FIRST_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
