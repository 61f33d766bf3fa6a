package io.convoke.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Where texts of settings come from: {@code convoke.yaml} first, the environment over it. */
public final class ConfigFile {
  private static final String PREFIX = "CONVOKE_";

  /**
   * Variables of the start script, of clients and of pods, which may run from the same shell: the
   * server does not read them.
   */
  private static final List<String> OTHERS =
      List.of(
          "CONVOKE_JAVA_OPTS",
          "CONVOKE_URL",
          "CONVOKE_API_KEY",
          "CONVOKE_POD_KEY",
          "CONVOKE_EGRESS_HOST");

  private ConfigFile() {}

  /**
   * Reads the file, if it exists, and the environment. In the file a key is the variable without
   * its prefix in lower case, with dashes, dots or nesting for underscores.
   *
   * @throws InvalidConfigException if the file is not YAML of texts and numbers
   */
  public static Map<String, String> read(Path file, Map<String, String> environment) {
    Map<String, String> texts = new HashMap<>();
    if (Files.exists(file)) {
      try {
        JsonNode settings = new YAMLMapper().readTree(Files.readString(file));
        if (!settings.isObject() && !settings.isNull() && !settings.isMissingNode()) {
          throw new InvalidConfigException(
              List.of(file + " must have settings by their names, such as port: 9000"));
        }
        flatten("", settings, texts);
      } catch (IOException | JacksonException e) {
        throw new InvalidConfigException(List.of(file + " cannot be read: " + firstLine(e)));
      }
    }
    environment.forEach(
        (name, text) -> {
          if (name.startsWith(PREFIX) && !OTHERS.contains(name)) {
            texts.put(name, text);
          }
        });
    return texts;
  }

  private static void flatten(String key, JsonNode node, Map<String, String> into) {
    switch (node.getNodeType()) {
      case OBJECT ->
          node.properties()
              .forEach(
                  entry ->
                      flatten(
                          key.isEmpty() ? entry.getKey() : key + "." + entry.getKey(),
                          entry.getValue(),
                          into));
      case STRING, NUMBER, BOOLEAN -> into.put(variable(key), node.asString());
      case NULL, MISSING -> {}
      case ARRAY, BINARY, POJO ->
          throw new InvalidConfigException(
              List.of("setting " + key + " must be a text or a number"));
    }
  }

  private static String variable(String key) {
    return PREFIX + key.toUpperCase(Locale.ROOT).replace('-', '_').replace('.', '_');
  }

  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }
}
