package io.convoke.release;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** What a product is made of, as CycloneDX 1.6 in JSON: its libraries and its Java runtime. */
final class BillOfMaterials {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .build();

  private static final Pattern LICENSES = Pattern.compile("(?s)<licenses>(.*?)</licenses>");
  private static final Pattern LICENSE_NAME = Pattern.compile("(?s)<license>.*?<name>(.*?)</name>");
  private static final Pattern PARENT = Pattern.compile("(?s)<parent>(.*?)</parent>");
  private static final int PARENTS_MAX = 8;

  private BillOfMaterials() {}

  static void write(Product product, Release release, List<Library> libraries, Path file)
      throws IOException {
    List<Map<String, Object>> components = new ArrayList<>();
    for (Library library : libraries) {
      Map<String, Object> component = component("library", library.artifact(), library.version());
      component.put("group", library.group());
      component.put("purl", library.purl());
      component.put("bom-ref", library.purl());
      component.put(
          "hashes",
          List.of(
              Map.of("alg", "SHA-256", "content", DebianPackage.hash("SHA-256", library.jar()))));
      List<String> licenses = licenses(library);
      if (!licenses.isEmpty()) {
        component.put(
            "licenses",
            licenses.stream().map(it -> Map.of("license", Map.of("name", it))).toList());
      }
      components.add(component);
    }
    components.add(component("platform", "OpenJDK", Runtime.version().toString()));
    Map<String, Object> bill = new TreeMap<>();
    bill.put("bomFormat", "CycloneDX");
    bill.put("specVersion", "1.6");
    bill.put("version", 1);
    bill.put("components", components);
    bill.put(
        "metadata",
        Map.of(
            "timestamp",
            release.time().toString(),
            "component",
            component("application", product.artifact(), release.version())));
    // The number of a bill is that of its contents, so that the same contents are the same bytes.
    byte[] contents = JSON.writeValueAsString(bill).getBytes(StandardCharsets.UTF_8);
    bill.put("serialNumber", "urn:uuid:" + UUID.nameUUIDFromBytes(contents));
    Path _ = Files.writeString(file, JSON.writeValueAsString(bill) + "\n");
  }

  private static Map<String, Object> component(String type, String name, String version) {
    return new TreeMap<>(Map.of("type", type, "name", name, "version", version));
  }

  /** The names of a library's licenses as its pom, or the nearest parent with some, has them. */
  private static List<String> licenses(Library library) throws IOException {
    Path pom = library.jar().resolveSibling(library.artifact() + "-" + library.version() + ".pom");
    for (int parents = 0; parents < PARENTS_MAX && Files.exists(pom); parents++) {
      String text = Files.readString(pom);
      Matcher licenses = LICENSES.matcher(text);
      if (licenses.find()) {
        return LICENSE_NAME
            .matcher(licenses.group(1))
            .results()
            .map(it -> it.group(1).strip().replaceAll("\\s+", " "))
            .toList();
      }
      Matcher parent = PARENT.matcher(text);
      if (!parent.find()) {
        return List.of();
      }
      pom = parentPom(library, parent.group(1));
    }
    return library.group().equals("io.convoke") ? List.of("Apache-2.0") : List.of();
  }

  /** Where a parent's pom lies in the local repository that the library's jar is in. */
  private static Path parentPom(Library library, String parent) {
    int above = library.group().split("\\.").length + 3;
    Path jar = library.jar();
    Path repository = Path.of("/").resolve(jar.subpath(0, jar.getNameCount() - above));
    String artifact = element(parent, "artifactId");
    String version = element(parent, "version");
    return repository
        .resolve(element(parent, "groupId").replace('.', '/'))
        .resolve(artifact)
        .resolve(version)
        .resolve(artifact + "-" + version + ".pom");
  }

  private static String element(String xml, String name) {
    Matcher found = Pattern.compile("<" + name + ">\\s*(.*?)\\s*</" + name + ">").matcher(xml);
    return found.find() ? found.group(1) : "";
  }
}
