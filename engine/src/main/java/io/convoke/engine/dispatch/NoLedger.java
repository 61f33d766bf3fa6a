package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Remembers nothing. */
class NoLedger implements Ledger {
  @Override
  public boolean remembers() {
    return false;
  }

  @Override
  public Accepted accept(NewTask task) {
    return new Accepted.New();
  }

  @Override
  public void reject(String id) {}

  @Override
  public boolean wantStop(String id) {
    return false;
  }

  @Override
  public void begin(Generation generation) {}

  @Override
  public boolean record(Generation generation, List<Move> moves) {
    return true;
  }

  @Override
  public List<OpenTask> open(String afterId, int limit) {
    return List.of();
  }

  @Override
  public List<OpenTask> open(List<String> ids) {
    return List.of();
  }

  @Override
  public List<OpenTask> unheard(int limit) {
    return List.of();
  }

  @Override
  public void callOthers() {}

  @Override
  public List<EndedTask> ended(Duration within, int limit) {
    return List.of();
  }

  @Override
  public Optional<Task> find(String id) {
    return Optional.empty();
  }
}
