package io.convoke.engine.dispatch;

import java.util.regex.Pattern;

/** Who asks for tasks: a name that no other pod has, and its region. */
public record PodId(String id, String region) {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  public PodId {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException("not a pod's name: " + id);
    }
    NewTask.requireRegion(region);
  }
}
