package io.convoke.fakes.orchestrator.kubernetes;

import io.convoke.fakes.orchestrator.FakeApiError;
import io.convoke.fakes.orchestrator.FakeRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Validates manifests as an API server does, in a namespace of restricted pods. */
final class ManifestValidator {
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

  /** A DNS label, which names a container or a volume. */
  private static final Pattern PART_NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

  private static final Pattern LABEL_KEY =
      Pattern.compile(
          "([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
  private static final Pattern LABEL_VALUE =
      Pattern.compile("([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?");
  private static final Pattern QUANTITY = Pattern.compile("[0-9]+(\\.[0-9]+)?(m|k|M|G|Ki|Mi|Gi)?");

  private ManifestValidator() {}

  static void pod(JsonNode pod, String namespace) {
    FakeRequest.only(pod, "Pod", "apiVersion", "kind", "metadata", "spec");
    kind(pod, "Pod");
    metadata(pod.path("metadata"), namespace);
    JsonNode spec = pod.path("spec");
    FakeRequest.only(
        spec,
        "spec",
        "containers",
        "restartPolicy",
        "automountServiceAccountToken",
        "enableServiceLinks",
        "terminationGracePeriodSeconds",
        "activeDeadlineSeconds",
        "nodeSelector",
        "serviceAccountName",
        "imagePullSecrets",
        "securityContext",
        "volumes",
        "initContainers",
        "tolerations",
        "hostNetwork");
    choice(spec, "restartPolicy", "Always", "OnFailure", "Never");
    flag(spec, "automountServiceAccountToken");
    flag(spec, "enableServiceLinks");
    number(spec, "terminationGracePeriodSeconds");
    JsonNode containers = spec.path("containers");
    check(containers.isArray() && !containers.isEmpty(), "spec.containers: Required value");
    containers.forEach(ManifestValidator::container);
    securityContext(
        spec.path("securityContext"),
        "runAsNonRoot",
        "runAsUser",
        "runAsGroup",
        "fsGroup",
        "seccompProfile");
    volumes(spec);
    PodSecurityStandard.restricted(pod);
  }

  private static void securityContext(JsonNode context, String... fields) {
    if (!context.isMissingNode()) {
      FakeRequest.only(context, "securityContext", fields);
      for (String field :
          List.of("runAsNonRoot", "allowPrivilegeEscalation", "readOnlyRootFilesystem")) {
        flag(context, field);
      }
      number(context, "runAsUser");
      number(context, "runAsGroup");
    }
  }

  private static void volumes(JsonNode spec) {
    Set<String> names = new HashSet<>();
    for (JsonNode volume : spec.path("volumes")) {
      String name = FakeRequest.text(volume, "name");
      check(PART_NAME.matcher(name).matches(), "spec.volumes[].name: Invalid value");
      check(names.add(name), "spec.volumes[].name: Duplicate value");
      JsonNode scratch = volume.path("emptyDir");
      if (!scratch.isMissingNode()) {
        FakeRequest.only(scratch, "emptyDir", "medium", "sizeLimit");
        choice(scratch, "medium", "", "Memory");
        check(
            QUANTITY.matcher(scratch.path("sizeLimit").asString("0")).matches(),
            "emptyDir.sizeLimit: quantities must match a number and unit");
      }
    }
    for (JsonNode container : spec.path("containers")) {
      Set<String> paths = new HashSet<>();
      for (JsonNode mount : container.path("volumeMounts")) {
        FakeRequest.only(mount, "volumeMounts", "name", "mountPath", "readOnly", "subPath");
        check(names.contains(FakeRequest.text(mount, "name")), "volumeMounts[].name: Not found");
        check(paths.add(FakeRequest.text(mount, "mountPath")), "mountPath: must be unique");
      }
    }
  }

  static void secret(JsonNode secret, String namespace) {
    FakeRequest.only(
        secret,
        "Secret",
        "apiVersion",
        "kind",
        "metadata",
        "type",
        "immutable",
        "stringData",
        "data");
    kind(secret, "Secret");
    metadata(secret.path("metadata"), namespace);
    flag(secret, "immutable");
    check(
        secret.path("stringData").isObject() || secret.path("data").isObject(),
        "a secret without data is of no use here");
  }

  static void deleteOptions(JsonNode options) {
    FakeRequest.only(
        options,
        "DeleteOptions",
        "apiVersion",
        "kind",
        "gracePeriodSeconds",
        "preconditions",
        "propagationPolicy",
        "orphanDependents",
        "dryRun");
    kind(options, "DeleteOptions");
    number(options, "gracePeriodSeconds");
    if (options.has("preconditions")) {
      FakeRequest.only(options.path("preconditions"), "preconditions", "uid", "resourceVersion");
    }
  }

  private static void container(JsonNode container) {
    FakeRequest.only(
        container,
        "container",
        "name",
        "image",
        "imagePullPolicy",
        "command",
        "args",
        "env",
        "envFrom",
        "resources",
        "volumeMounts",
        "securityContext");
    securityContext(
        container.path("securityContext"),
        "allowPrivilegeEscalation",
        "capabilities",
        "readOnlyRootFilesystem",
        "runAsNonRoot",
        "runAsUser",
        "runAsGroup",
        "privileged",
        "seccompProfile");
    check(
        PART_NAME.matcher(FakeRequest.text(container, "name")).matches(),
        "containers[].name: Invalid value");
    String _ = FakeRequest.text(container, "image");
    choice(container, "imagePullPolicy", "Always", "IfNotPresent", "Never");
    for (JsonNode variable : container.path("env")) {
      FakeRequest.only(variable, "env", "name", "value", "valueFrom");
      String _ = FakeRequest.text(variable, "name");
      if (variable.has("valueFrom")) {
        FakeRequest.only(
            variable.path("valueFrom"),
            "valueFrom",
            "secretKeyRef",
            "configMapKeyRef",
            "fieldRef",
            "resourceFieldRef");
        JsonNode reference = variable.path("valueFrom").path("secretKeyRef");
        FakeRequest.only(reference, "secretKeyRef", "name", "key", "optional");
        String _ = FakeRequest.text(reference, "key");
      }
    }
    JsonNode resources = container.path("resources");
    if (!resources.isMissingNode()) {
      FakeRequest.only(resources, "resources", "limits", "requests", "claims");
      for (String kind : List.of("limits", "requests")) {
        resources
            .path(kind)
            .properties()
            .forEach(
                entry ->
                    check(
                        QUANTITY.matcher(entry.getValue().asString("")).matches(),
                        kind + "." + entry.getKey() + ": quantities must match a number and unit"));
      }
    }
  }

  private static void metadata(JsonNode metadata, String namespace) {
    FakeRequest.only(
        metadata,
        "metadata",
        "name",
        "namespace",
        "labels",
        "annotations",
        "ownerReferences",
        "generateName",
        "finalizers");
    check(
        NAME.matcher(FakeRequest.text(metadata, "name")).matches(), "metadata.name: Invalid value");
    check(
        metadata.path("namespace").asString(namespace).equals(namespace),
        "the namespace of the provided object does not match the namespace sent on the request");
    metadata
        .path("labels")
        .properties()
        .forEach(
            label ->
                check(
                    LABEL_KEY.matcher(label.getKey()).matches()
                        && label.getValue().isString()
                        && LABEL_VALUE.matcher(label.getValue().asString()).matches(),
                    "metadata.labels: Invalid value: " + label));
    for (JsonNode owner : metadata.path("ownerReferences")) {
      FakeRequest.only(
          owner, "owner", "apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion");
      for (String field : List.of("apiVersion", "kind", "name", "uid")) {
        String _ = FakeRequest.text(owner, field);
      }
    }
  }

  private static void kind(JsonNode object, String kind) {
    check(
        object.path("apiVersion").asString("").equals("v1")
            && object.path("kind").asString("").equals(kind),
        "the object must be a v1 " + kind);
  }

  private static void choice(JsonNode object, String field, String... allowed) {
    check(
        !object.has(field) || List.of(allowed).contains(object.path(field).asString("")),
        field + ": Unsupported value");
  }

  private static void flag(JsonNode object, String field) {
    check(!object.has(field) || object.path(field).isBoolean(), field + " must be a boolean");
  }

  private static void number(JsonNode object, String field) {
    check(
        !object.has(field)
            || (object.path(field).isIntegralNumber() && object.path(field).asLong() >= 0),
        field + " must be a number, and not negative");
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new FakeApiError(422, "Invalid", message);
    }
  }
}
