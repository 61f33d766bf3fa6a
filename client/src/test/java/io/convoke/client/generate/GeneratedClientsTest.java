package io.convoke.client.generate;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.client.generate.ApiDocument.ApiOperation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The clients are those of the API's document: what is generated here is in the repository as it
 * would be generated now, and each language has every operation.
 */
class GeneratedClientsTest {
  private static final Path HOME =
      Path.of(System.getProperty("convoke.home", "..")).toAbsolutePath().normalize();
  private static final Path JAVA = HOME.resolve("client/src/main/java");
  private static final Path PYTHON = HOME.resolve("clients/python/src/convoke");
  private static final Path TYPESCRIPT = HOME.resolve("clients/typescript/src");
  private static final String MEND =
      "generated sources; ./convoke test -Dapi.write=true --only GeneratedClientsTest";
  private static final Pattern ROW =
      Pattern.compile("(?m)^  (\\w+): \\[\"([A-Z]+)\", \"([^\"]+)\",");

  private static ApiDocument document;
  private static String hash;

  @BeforeAll
  static void read() throws Exception {
    byte[] bytes = Files.readAllBytes(HOME.resolve("docs/reference/openapi.json"));
    Set<String> idempotent = Set.copyOf(Files.readAllLines(HOME.resolve("clients/idempotent.txt")));
    document = ApiDocument.read(new String(bytes, StandardCharsets.UTF_8), idempotent);
    hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    assertThat(document.operations()).hasSizeGreaterThan(130);
    assertThat(document.operations().stream().map(ApiOperation::id)).containsAll(idempotent);
  }

  @Test
  void theJavaClientIsOfThisDocument() throws IOException {
    List<Path> folders =
        Stream.of("calls", "types").map(JAVA.resolve("io/convoke/client")::resolve).toList();
    compare(JAVA, JavaClient.of(document, hash), folders);
  }

  @Test
  void thePythonClientIsOfThisDocument() throws IOException {
    compare(PYTHON, PythonClient.of(document, hash), List.of());
  }

  /** npm's generator runs in the nightly tests; until then the hash tells. */
  @Test
  void theTypeScriptClientIsOfThisDocument() throws IOException {
    for (String name : List.of("schema.ts", "operations.ts")) {
      assertThat(Files.readString(TYPESCRIPT.resolve(name)))
          .as("%s; cd clients/typescript && npm ci && npm run generate", name)
          .contains("the sha256 of docs/reference/openapi.json was " + hash);
    }
  }

  @Test
  void everyLanguageHasEveryOperation() throws IOException {
    String python = Files.readString(PYTHON.resolve("operations.py"));
    String typeScript = Files.readString(TYPESCRIPT.resolve("schema.ts"));
    Map<String, String> rows = new TreeMap<>();
    Matcher row = ROW.matcher(Files.readString(TYPESCRIPT.resolve("operations.ts")));
    while (row.find()) {
      rows.put(row.group(1), row.group(2) + " " + row.group(3));
    }
    Set<String> missing = new TreeSet<>();
    for (ApiOperation operation : document.operations()) {
      String id = operation.id();
      String sent = operation.method() + " " + operation.path();
      Path java =
          JAVA.resolve(
              "io/convoke/client/calls/" + JavaClient.className(document, operation) + ".java");
      if (!Files.exists(java) || !Files.readString(java).contains("{@code " + sent + "}")) {
        missing.add("Java: " + sent);
      }
      if (!python.contains("    def " + PythonClient.snake(id) + "(\n")) {
        missing.add("Python: " + sent);
      }
      if (!sent.equals(rows.get(id)) || !typeScript.contains("\n    " + id + ": {")) {
        missing.add("TypeScript: " + sent);
      }
    }
    assertThat(missing).isEmpty();
  }

  private static void compare(Path home, Map<String, String> generated, List<Path> folders)
      throws IOException {
    Map<String, String> kept = new TreeMap<>();
    if (Boolean.getBoolean("api.write")) {
      write(home, generated, folders);
    }
    for (String name : generated.keySet()) {
      Path file = home.resolve(name);
      kept.put(name, Files.exists(file) ? Files.readString(file) : "");
    }
    for (Path file : files(folders)) {
      kept.putIfAbsent(home.relativize(file).toString(), "");
    }
    Set<String> stale = new TreeSet<>(kept.keySet());
    stale.removeIf(
        name -> kept.getOrDefault(name, "").equals(generated.getOrDefault(name, "is not made")));
    assertThat(stale).as(MEND).isEmpty();
  }

  private static void write(Path home, Map<String, String> generated, List<Path> folders)
      throws IOException {
    for (Path file : files(folders)) {
      Files.delete(file);
    }
    for (Map.Entry<String, String> file : generated.entrySet()) {
      Path path = home.resolve(file.getKey());
      Path _ = Files.createDirectories(path.getParent());
      Path _ = Files.writeString(path, file.getValue());
    }
  }

  private static List<Path> files(List<Path> folders) throws IOException {
    List<Path> files = new java.util.ArrayList<>();
    for (Path folder : folders) {
      if (Files.isDirectory(folder)) {
        try (Stream<Path> some = Files.list(folder)) {
          some.forEach(files::add);
        }
      }
    }
    return files;
  }
}
