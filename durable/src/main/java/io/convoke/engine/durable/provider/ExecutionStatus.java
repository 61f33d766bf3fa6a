package io.convoke.engine.durable.provider;

/** The status of an execution, as in the table's check constraint. */
public enum ExecutionStatus {
  RUNNING("Running"),
  COMPLETED("Completed"),
  FAILED("Failed"),
  CONTINUED_AS_NEW("ContinuedAsNew");

  private final String wireName;

  ExecutionStatus(String word) {
    this.wireName = word;
  }

  public String wireName() {
    return wireName;
  }

  public static ExecutionStatus of(String word) {
    for (ExecutionStatus status : values()) {
      if (status.wireName.equals(word)) {
        return status;
      }
    }
    throw new IllegalArgumentException("no status of an execution: " + word);
  }
}
