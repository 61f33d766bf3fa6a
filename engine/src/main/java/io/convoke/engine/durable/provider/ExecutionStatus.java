package io.convoke.engine.durable.provider;

/** How an execution stands, in the words of the table's check. */
public enum ExecutionStatus {
  RUNNING("Running"),
  COMPLETED("Completed"),
  FAILED("Failed"),
  CONTINUED_AS_NEW("ContinuedAsNew");

  private final String word;

  ExecutionStatus(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }

  public static ExecutionStatus of(String word) {
    for (ExecutionStatus status : values()) {
      if (status.word.equals(word)) {
        return status;
      }
    }
    throw new IllegalArgumentException("no status of an execution: " + word);
  }
}
