package io.convoke.server.launch.docker;

import io.convoke.engine.json.Json;
import io.convoke.server.launch.BotSandbox;
import io.convoke.server.launch.JsonMergePatch;
import io.convoke.server.launch.LaunchSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The body of {@code POST /containers/create}: defaults, then the operator's template. */
final class ContainerRequests {
  private static final String CONFIG = "BOT_CONFIG";
  private static final String ENV = "Env";
  private static final String LABELS = "Labels";
  private static final String HOST_CONFIG = "HostConfig";
  private static final String OUR_LABELS = "convoke.";

  /** The stored output of a bot. */
  private static final Map<String, String> LOG_BOUND = Map.of("max-size", "8m", "max-file", "1");

  /** Members of the Engine API that a template may set; the engine ignores names it lacks. */
  private static final Set<String> ALLOWED =
      Set.of(
          "Hostname",
          "Domainname",
          "User",
          "Tty",
          ENV,
          "Cmd",
          "Entrypoint",
          "Healthcheck",
          "Volumes",
          "WorkingDir",
          "NetworkDisabled",
          "StopSignal",
          "Shell",
          LABELS,
          HOST_CONFIG,
          "NetworkingConfig");

  /** Members of {@code HostConfig} that end or repeat a bot without us. */
  private static final Set<String> REFUSED_OF_HOST = Set.of("autoremove", "restartpolicy");

  private ContainerRequests() {}

  static ObjectNode create(LaunchSpec spec, DockerConfig terms) {
    BotSandbox sandbox = terms.sandbox();
    Map<String, Object> container = new LinkedHashMap<>();
    container.put("Image", terms.image().name());
    if (!sandbox.imageDecides()) {
      container.put("User", BotSandbox.USER + ":" + BotSandbox.USER);
    }
    container.put(LABELS, ContainerLabels.of(terms.fleet(), spec));
    container.put(HOST_CONFIG, limits(terms));
    ObjectNode merged = JsonMergePatch.apply((ObjectNode) Json.tree(container), sandbox.template());
    JsonNode _ = merged.set(ENV, Json.tree(environment(spec, sandbox)));
    return merged;
  }

  /** What a template may not say, a sentence each. */
  static List<String> faults(ObjectNode template) {
    List<String> faults = new ArrayList<>();
    for (String name : template.propertyNames()) {
      if (!ALLOWED.contains(name)) {
        faults.add(name + " is not among " + ALLOWED.stream().sorted().toList());
      }
    }
    for (String container : List.of(LABELS, HOST_CONFIG)) {
      if (template.has(container) && !template.path(container).isObject()) {
        faults.add(container + " is no object");
      }
    }
    for (String label : template.path(LABELS).propertyNames()) {
      if (label.startsWith(OUR_LABELS)) {
        faults.add("the label " + label + " is Convoke's own");
      }
    }
    for (String name : template.path(HOST_CONFIG).propertyNames()) {
      if (REFUSED_OF_HOST.contains(name.toLowerCase(java.util.Locale.ROOT))) {
        faults.add("HostConfig." + name + " is Convoke's own");
      } else if (!Character.isUpperCase(name.codePointAt(0))) {
        faults.add("HostConfig." + name + " is no name of the Engine API");
      }
    }
    if (template.has(ENV) && !template.path(ENV).isArray()) {
      faults.add(ENV + " is no list");
    }
    for (JsonNode variable : template.path(ENV)) {
      if (!variable.asString("").contains("=")
          || variableName(variable.asString("")).equals(CONFIG)) {
        faults.add("an entry of Env must be NAME=value, and not " + CONFIG);
      }
    }
    return faults;
  }

  /** What the variables of a template are set to. */
  static List<String> values(ObjectNode template) {
    return template
        .path(ENV)
        .valueStream()
        .map(variable -> variable.asString(""))
        .map(variable -> variable.substring(variable.indexOf('=') + 1))
        .toList();
  }

  private static Map<String, Object> limits(DockerConfig terms) {
    Map<String, Object> limits = new LinkedHashMap<>();
    limits.put("LogConfig", Map.of("Type", "json-file", "Config", LOG_BOUND));
    limits.put("CapDrop", List.of("ALL"));
    limits.put("SecurityOpt", List.of("no-new-privileges:true"));
    limits.put("PidsLimit", BotSandbox.PIDS_MAX);
    limits.put("ShmSize", BotSandbox.SHARED_MEMORY_BYTES);
    if (!terms.sandbox().imageDecides()) {
      limits.put("ReadonlyRootfs", true);
      limits.put(
          "Tmpfs", Map.of("/tmp", scratch("mode=1777"), BotSandbox.HOME, scratch(ownedByBot())));
    }
    terms
        .image()
        .memoryBytes()
        .ifPresent(
            bytes -> {
              limits.put("Memory", bytes);
              limits.put("MemorySwap", bytes);
            });
    terms.image().cpus().ifPresent(cpus -> limits.put("NanoCpus", Math.round(cpus * 1e9)));
    terms.network().ifPresent(network -> limits.put("NetworkMode", network));
    return limits;
  }

  /** A file system in memory; libraries of Java and Node are unpacked there and run. */
  private static String scratch(String access) {
    return "rw,exec,nosuid,nodev,size=" + BotSandbox.SCRATCH_BYTES + "," + access;
  }

  private static String ownedByBot() {
    return "mode=0700,uid=" + BotSandbox.USER + ",gid=" + BotSandbox.USER;
  }

  /** Ours and the template's; ours go before, but for {@code HOME}. */
  private static List<String> environment(LaunchSpec spec, BotSandbox sandbox) {
    Map<String, String> all = new LinkedHashMap<>();
    if (!sandbox.imageDecides()) {
      all.put("HOME", "HOME=" + BotSandbox.HOME);
    }
    sandbox
        .template()
        .path(ENV)
        .forEach(variable -> all.put(variableName(variable.asString()), variable.asString()));
    Stream.of(Map.of(CONFIG, spec.botConfig()), spec.secrets(), spec.environment())
        .flatMap(variables -> variables.entrySet().stream())
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .forEach(variable -> all.put(variableName(variable), variable));
    return List.copyOf(all.values());
  }

  private static String variableName(String variable) {
    return variable.substring(0, Math.max(0, variable.indexOf('=')));
  }
}
