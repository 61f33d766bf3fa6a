package io.convoke.fakes.orchestrator.kubernetes;

import io.convoke.fakes.orchestrator.FakeApiError;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * The admission of a namespace with {@code pod-security.kubernetes.io/enforce: restricted}, in its
 * words, as far as manifests here can violate it.
 */
final class PodSecurityStandard {
  private static final Set<String> SECCOMP = Set.of("RuntimeDefault", "Localhost");
  private static final Set<String> VOLUMES =
      Set.of(
          "configMap",
          "csi",
          "downwardAPI",
          "emptyDir",
          "ephemeral",
          "persistentVolumeClaim",
          "projected",
          "secret");

  private PodSecurityStandard() {}

  /** Refuses a pod that asks for more than the standard allows. */
  static void restricted(JsonNode pod) {
    List<String> violations = new ArrayList<>();
    JsonNode spec = pod.path("spec");
    JsonNode ofPod = spec.path("securityContext");
    for (String host : List.of("hostNetwork", "hostPID", "hostIPC")) {
      check(violations, !spec.path(host).asBoolean(false), "host namespaces (" + host + "=true)");
    }
    for (JsonNode volume : spec.path("volumes")) {
      for (String type : volume.propertyNames()) {
        check(
            violations,
            type.equals("name") || VOLUMES.contains(type),
            "restricted volume types (volume uses restricted volume type \"" + type + "\")");
      }
    }
    Stream.concat(spec.path("containers").valueStream(), spec.path("initContainers").valueStream())
        .forEach(container -> container(violations, container, ofPod));
    if (!violations.isEmpty()) {
      throw new FakeApiError(
          403,
          "Forbidden",
          "pods \""
              + pod.path("metadata").path("name").asString("")
              + "\" is forbidden: violates PodSecurity \"restricted:latest\": "
              + String.join(", ", violations));
    }
  }

  private static void container(List<String> violations, JsonNode container, JsonNode ofPod) {
    JsonNode own = container.path("securityContext");
    String must = " (container \"" + container.path("name").asString("") + "\" must set ";
    check(
        violations,
        !own.path("privileged").asBoolean(false),
        "privileged" + must + "securityContext.privileged=false)");
    check(
        violations,
        !own.path("allowPrivilegeEscalation").asBoolean(true),
        "allowPrivilegeEscalation != false"
            + must
            + "securityContext.allowPrivilegeEscalation=false)");
    check(
        violations,
        own.path("capabilities").path("drop").valueStream().anyMatch(PodSecurityStandard::all)
            && own.path("capabilities")
                .path("add")
                .valueStream()
                .allMatch(added -> added.asString("").equals("NET_BIND_SERVICE")),
        "unrestricted capabilities" + must + "securityContext.capabilities.drop=[\"ALL\"])");
    check(
        violations,
        either(own, ofPod, "runAsNonRoot").asBoolean(false),
        "runAsNonRoot != true" + must + "securityContext.runAsNonRoot=true)");
    check(
        violations,
        either(own, ofPod, "runAsUser").asInt(1) != 0,
        "runAsUser=0" + must + "a non-zero securityContext.runAsUser)");
    check(
        violations,
        SECCOMP.contains(either(own, ofPod, "seccompProfile").path("type").asString("")),
        "seccompProfile" + must + "securityContext.seccompProfile.type to \"RuntimeDefault\")");
  }

  private static JsonNode either(JsonNode own, JsonNode ofPod, String field) {
    return own.has(field) ? own.path(field) : ofPod.path(field);
  }

  private static boolean all(JsonNode capability) {
    return capability.asString("").equals("ALL");
  }

  private static void check(List<String> violations, boolean holds, String violation) {
    if (!holds) {
      violations.add(violation);
    }
  }
}
