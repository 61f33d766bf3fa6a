package io.convoke.server.launch.docker;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code docker:MACHINE:CONTAINER}. The engine's machine is part of it, because another engine that
 * does not know a container says nothing about it.
 */
record ContainerRef(String machine, String containerId) {
  private static final Pattern FORM = Pattern.compile("docker:([^:]{1,64}):([0-9a-f]{12,64})");

  static Optional<ContainerRef> parse(String text) {
    Matcher form = FORM.matcher(text);
    return form.matches()
        ? Optional.of(new ContainerRef(form.group(1), form.group(2)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return "docker:" + machine + ":" + containerId;
  }
}
