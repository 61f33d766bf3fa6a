package io.convoke.server.http;

/**
 * What the listener asks of features about each request of a person, beside who it is.
 *
 * @param actions records what is changed
 * @param quotas refuses what is beyond a user's quota
 */
public record RequestPolicies(ActionRecorder actions, QuotaCheck quotas) {
  /** No journal and no quotas. */
  public static final RequestPolicies NONE =
      new RequestPolicies(ActionRecorder.NONE, QuotaCheck.NONE);
}
