package io.convoke.engine.dispatch;

import java.util.List;
import java.util.Optional;

/** Stores nothing. */
class NoopTaskStore implements DurableTaskStore {
  @Override
  public boolean isDurable() {
    return false;
  }

  @Override
  public TaskInsertResult accept(NewTask task) {
    return new TaskInsertResult.TaskInserted();
  }

  @Override
  public void reject(String id) {}

  @Override
  public boolean requestStop(String id) {
    return false;
  }

  @Override
  public void begin(RebuildEpoch rebuildEpoch) {}

  @Override
  public boolean record(RebuildEpoch rebuildEpoch, List<TaskTransition> moves) {
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
  public List<OpenTask> undelivered(int limit) {
    return List.of();
  }

  @Override
  public void notifyServers() {}

  @Override
  public List<EndedTask> ended(List<String> ids) {
    return List.of();
  }

  @Override
  public Optional<Task> find(String id) {
    return Optional.empty();
  }
}
