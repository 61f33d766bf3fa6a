package io.convoke.engine.durable.provider;

/** The status of an execution, as in the table's check constraint. */
public enum ExecutionStatus {
  RUNNING("Running"),
  COMPLETED("Completed"),
  FAILED("Failed"),
  CONTINUED_AS_NEW("ContinuedAsNew");

  private final String wireName;

  ExecutionStatus(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }

  public static ExecutionStatus of(String wireName) {
    for (ExecutionStatus status : values()) {
      if (status.wireName.equals(wireName)) {
        return status;
      }
    }
    throw new IllegalArgumentException("unknown status of an execution: " + wireName);
  }
}
