package io.convoke.server.launch.kubernetes;

import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.LaunchSpec;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The objects that make a bot. */
final class PodManifests {
  static final String FLEET = "convoke.fleet";
  private static final String CONFIG = "BOT_CONFIG";
  private static final String CONTAINER = "bot";

  private PodManifests() {}

  static Map<String, String> labels(String fleet, LaunchSpec spec) {
    return Map.of(
        FLEET,
        fleet,
        "convoke.meeting_id",
        Long.toString(spec.meetingId()),
        "convoke.connection_id",
        spec.connectionId(),
        "convoke.attempt",
        Integer.toString(spec.attempt()));
  }

  /** One container that is never started again, with no rights in the cluster. */
  static Map<String, Object> pod(String fleet, BotImage image, LaunchSpec spec) {
    Map<String, Object> container = new LinkedHashMap<>();
    container.put("name", CONTAINER);
    container.put("image", image.name());
    container.put(
        "imagePullPolicy",
        switch (image.pull()) {
          case ALWAYS -> "Always";
          case MISSING -> "IfNotPresent";
          case NEVER -> "Never";
        });
    container.put("env", environment(spec));
    Map<String, String> limits = limits(image);
    if (!limits.isEmpty()) {
      container.put("resources", Map.of("limits", limits));
    }
    return Map.of(
        "apiVersion",
        "v1",
        "kind",
        "Pod",
        "metadata",
        Map.of("name", spec.containerName(), "labels", labels(fleet, spec)),
        "spec",
        Map.of(
            "restartPolicy",
            "Never",
            "automountServiceAccountToken",
            false,
            "enableServiceLinks",
            false,
            "containers",
            List.of(container)));
  }

  private static List<Map<String, Object>> environment(LaunchSpec spec) {
    List<Map<String, Object>> all = new ArrayList<>();
    all.add(
        Map.of(
            "name",
            CONFIG,
            "valueFrom",
            Map.of("secretKeyRef", Map.of("name", spec.containerName(), "key", CONFIG))));
    spec.environment().forEach((name, value) -> all.add(Map.of("name", name, "value", value)));
    return all;
  }

  /** The bot's configuration, which goes when its pod goes. */
  static Map<String, Object> secret(String fleet, LaunchSpec spec, KubernetesPod owner) {
    return Map.of(
        "apiVersion",
        "v1",
        "kind",
        "Secret",
        "type",
        "Opaque",
        "immutable",
        true,
        "metadata",
        Map.of(
            "name",
            spec.containerName(),
            "labels",
            labels(fleet, spec),
            "ownerReferences",
            List.of(
                Map.of(
                    "apiVersion", "v1", "kind", "Pod", "name", owner.name(), "uid", owner.uid()))),
        "stringData",
        Map.of(CONFIG, spec.botConfig()));
  }

  /** Ends this very pod, and no later one of its name. */
  static Map<String, Object> deletion(String uid, long graceSeconds) {
    return Map.of(
        "apiVersion",
        "v1",
        "kind",
        "DeleteOptions",
        "gracePeriodSeconds",
        graceSeconds,
        "preconditions",
        Map.of("uid", uid));
  }

  private static Map<String, String> limits(BotImage image) {
    Map<String, String> limits = new LinkedHashMap<>();
    image.memoryBytes().ifPresent(bytes -> limits.put("memory", Long.toString(bytes)));
    image
        .cpus()
        .ifPresent(
            cpus ->
                limits.put(
                    "cpu",
                    BigDecimal.valueOf(cpus).multiply(BigDecimal.valueOf(1000)).longValue() + "m"));
    return limits;
  }
}
