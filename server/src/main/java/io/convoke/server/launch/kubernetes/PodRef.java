package io.convoke.server.launch.kubernetes;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code kubernetes:NAMESPACE/NAME/UID}; the uid distinguishes a pod from a later one of the same
 * name.
 */
record PodRef(String namespace, String name, String uid) {
  private static final Pattern FORM =
      Pattern.compile("kubernetes:([-a-z0-9]{1,63})/([-a-z0-9.]{1,253})/([-0-9a-zA-Z]{1,64})");

  static Optional<PodRef> parse(String text) {
    Matcher form = FORM.matcher(text);
    return form.matches()
        ? Optional.of(new PodRef(form.group(1), form.group(2), form.group(3)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return "kubernetes:" + namespace + "/" + name + "/" + uid;
  }
}
