package io.convoke.engine.dispatch;

import java.util.regex.Pattern;

/** The unique id of a pod, and its region. */
public record PodId(String id, String region) {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  public PodId {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException("invalid pod id: " + id);
    }
    NewTask.requireRegion(region);
  }
}
