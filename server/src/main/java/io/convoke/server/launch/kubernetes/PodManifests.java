package io.convoke.server.launch.kubernetes;

import io.convoke.engine.json.Json;
import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.BotSandbox;
import io.convoke.server.launch.JsonMergePatch;
import io.convoke.server.launch.LaunchSpec;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The objects that make a bot. */
final class PodManifests {
  static final String FLEET = "convoke.fleet";

  /** The container of the bot; a template, or what is injected into pods, may add others. */
  static final String CONTAINER = "bot";

  private static final String CONFIG = "BOT_CONFIG";
  private static final String OUR_LABELS = "convoke.";

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

  /**
   * One container that is never started again, with no rights in the cluster, and no more on its
   * node than the Pod Security Standard "restricted" allows.
   */
  static ObjectNode pod(KubernetesConfig terms, LaunchSpec spec) {
    BotSandbox sandbox = terms.sandbox();
    Map<String, Object> podSpec = new LinkedHashMap<>();
    podSpec.put("restartPolicy", "Never");
    podSpec.put("automountServiceAccountToken", false);
    podSpec.put("enableServiceLinks", false);
    podSpec.put("securityContext", podSecurity(sandbox));
    podSpec.put("containers", List.of(container(terms, spec)));
    podSpec.put(
        "volumes",
        List.of(
            Map.of("name", "tmp", "emptyDir", Map.of("sizeLimit", bytes(BotSandbox.SCRATCH_BYTES))),
            Map.of(
                "name", "home", "emptyDir", Map.of("sizeLimit", bytes(BotSandbox.SCRATCH_BYTES))),
            Map.of(
                "name",
                "shm",
                "emptyDir",
                Map.of("medium", "Memory", "sizeLimit", bytes(BotSandbox.SHARED_MEMORY_BYTES)))));
    JsonNode pod =
        Json.tree(
            Map.of(
                "apiVersion",
                "v1",
                "kind",
                "Pod",
                "metadata",
                Map.of("name", spec.containerName(), "labels", labels(terms.fleet(), spec)),
                "spec",
                podSpec));
    return JsonMergePatch.applyWithNamedLists((ObjectNode) pod, sandbox.template());
  }

  /** What a template may not say, a sentence each. */
  static List<String> faults(ObjectNode template) {
    List<String> faults = new ArrayList<>();
    only(faults, template, "the pod", "metadata", "spec");
    only(faults, template.path("metadata"), "metadata", "labels", "annotations");
    for (JsonNode object :
        List.of(
            template.path("metadata"),
            template.path("metadata").path("labels"),
            template.path("spec"))) {
      if (!object.isObject() && !object.isMissingNode()) {
        faults.add("metadata, its labels and spec are objects");
      }
    }
    for (String label : template.path("metadata").path("labels").propertyNames()) {
      if (label.startsWith(OUR_LABELS)) {
        faults.add("the label " + label + " is Convoke's own");
      }
    }
    JsonNode spec = template.path("spec");
    if (spec.has("restartPolicy")) {
      faults.add("spec.restartPolicy is Convoke's own");
    }
    for (String list : List.of("containers", "volumes")) {
      if (spec.has(list) && !spec.path(list).isArray()) {
        faults.add("spec." + list + " is no list");
      }
    }
    for (JsonNode container : spec.path("containers")) {
      if (container.path("name").asString("").isEmpty()) {
        faults.add("a container has no name; the bot's is " + CONTAINER);
      }
      if (container.path("name").asString("").equals(CONTAINER)) {
        faults.addAll(faultsOfBot(container));
      }
    }
    return faults;
  }

  /** What the bot's variables in a template are set to, but for those that refer to an object. */
  static List<String> values(ObjectNode template) {
    return template
        .path("spec")
        .path("containers")
        .valueStream()
        .filter(container -> container.path("name").asString("").equals(CONTAINER))
        .flatMap(container -> container.path("env").valueStream())
        .filter(variable -> variable.has("value"))
        .map(variable -> variable.path("value").asString(""))
        .toList();
  }

  private static List<String> faultsOfBot(JsonNode container) {
    List<String> faults = new ArrayList<>();
    for (String own : List.of("image", "imagePullPolicy", "$patch")) {
      if (container.has(own)) {
        faults.add(own + " of the container " + CONTAINER + " is Convoke's own");
      }
    }
    JsonNode env = container.path("env");
    if (container.has("env") && !env.isArray()) {
      faults.add("env is no list");
    }
    for (JsonNode variable : env) {
      String name = variable.path("name").asString("");
      if (name.isEmpty() || name.equals(CONFIG)) {
        faults.add("an entry of env needs a name other than " + CONFIG);
      }
    }
    return faults;
  }

  private static void only(List<String> faults, JsonNode object, String what, String... allowed) {
    for (String name : object.propertyNames()) {
      if (!List.of(allowed).contains(name)) {
        faults.add(
            name + " is not among what a template sets in " + what + ": " + List.of(allowed));
      }
    }
  }

  private static Map<String, Object> podSecurity(BotSandbox sandbox) {
    Map<String, Object> security = new LinkedHashMap<>();
    security.put("seccompProfile", Map.of("type", "RuntimeDefault"));
    if (!sandbox.imageDecides()) {
      security.put("runAsNonRoot", true);
      security.put("runAsUser", BotSandbox.USER);
      security.put("runAsGroup", BotSandbox.USER);
    }
    return security;
  }

  private static Map<String, Object> container(KubernetesConfig terms, LaunchSpec spec) {
    BotImage image = terms.image();
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
    container.put("env", environment(spec, terms.sandbox()));
    Map<String, String> limits = limits(image);
    if (!limits.isEmpty()) {
      container.put("resources", Map.of("limits", limits));
    }
    container.put(
        "securityContext",
        Map.of(
            "allowPrivilegeEscalation",
            false,
            "capabilities",
            Map.of("drop", List.of("ALL")),
            "readOnlyRootFilesystem",
            !terms.sandbox().imageDecides()));
    container.put(
        "volumeMounts",
        List.of(mount("tmp", "/tmp"), mount("home", BotSandbox.HOME), mount("shm", "/dev/shm")));
    return container;
  }

  private static Map<String, String> mount(String volume, String path) {
    return Map.of("name", volume, "mountPath", path);
  }

  private static String bytes(long number) {
    return Long.toString(number);
  }

  private static List<Map<String, Object>> environment(LaunchSpec spec, BotSandbox sandbox) {
    List<Map<String, Object>> all = new ArrayList<>();
    secrets(spec)
        .keySet()
        .forEach(
            name ->
                all.add(
                    Map.of(
                        "name",
                        name,
                        "valueFrom",
                        Map.of(
                            "secretKeyRef", Map.of("name", spec.containerName(), "key", name)))));
    if (!sandbox.imageDecides()) {
      all.add(Map.of("name", "HOME", "value", BotSandbox.HOME));
    }
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
        secrets(spec));
  }

  private static Map<String, String> secrets(LaunchSpec spec) {
    Map<String, String> all = new TreeMap<>(spec.secrets());
    all.put(CONFIG, spec.botConfig());
    return all;
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
