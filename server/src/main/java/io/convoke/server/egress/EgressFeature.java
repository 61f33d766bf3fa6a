package io.convoke.server.egress;

import io.convoke.agent.blobs.BlobStore;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.NewTask;
import io.convoke.engine.dispatch.PostgresTaskStore;
import io.convoke.engine.dispatch.RecordedTransition;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Endpoint;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Files of rooms: its endpoints serve role {@code api}, {@link #start} adds the retention of role
 * {@code recordings}.
 */
public final class EgressFeature implements AutoCloseable, PostgresTaskStore.TransitionListener {
  /** The type of its tasks. */
  public static final String TYPE = "egress";

  /** The action of a task that finishes another one, which servers alone submit. */
  public static final String FINISH = "finish";

  /** What the request ids of such tasks begin with; those of users may too. */
  public static final String FINISH_REQUEST = FINISH + ".";

  private final EgressRetention retention;
  private final EgressEndpoints endpoints;

  /**
   * Wires the parts; nothing runs before {@link #start}.
   *
   * @param blobs where pods put the files; another feature closes it
   * @param kept how long files are kept after the task ended; empty: for ever
   */
  public EgressFeature(
      Database database, BlobStore blobs, Optional<Duration> kept, SecretBox secrets) {
    EgressStore store = new EgressStore(database);
    EgressFiles files = new EgressFiles(blobs);
    this.retention = new EgressRetention(store, files, kept, secrets);
    this.endpoints = new EgressEndpoints(store, files, retention);
  }

  public List<Endpoint> endpoints() {
    return endpoints.endpoints();
  }

  /**
   * Notes whose the files of these tasks are, and that they ended; stops those whose room moved to
   * another user after they were checked and before they were stored.
   */
  @Override
  public void moved(Tx tx, List<RecordedTransition> moves) {
    String[] tasks =
        moves.stream()
            .filter(move -> move.type().equals(TYPE))
            .map(move -> move.move().id())
            .distinct()
            .toArray(String[]::new);
    if (tasks.length > 0) {
      EgressStore.note(tx, tasks);
      EgressStore.stopDisplaced(tx, tasks);
      if (moves.stream().anyMatch(move -> move.move().state().terminal())) {
        tx.afterCommit(retention::wake);
      }
    }
  }

  /** Running tasks of users whose the room is not any more. */
  public static List<String> displaced(Tx tx) {
    return EgressStore.displaced(tx);
  }

  /** Where tasks that finish others are submitted; it tells whether they were accepted. */
  public void onUnfinished(Predicate<NewTask> submit) {
    retention.onUnfinished(submit);
  }

  public void start() {
    retention.start();
  }

  EgressRetention keeping() {
    return retention;
  }

  @Override
  public void close() {
    retention.close();
  }
}
