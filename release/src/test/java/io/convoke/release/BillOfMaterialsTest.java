package io.convoke.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class BillOfMaterialsTest {
  private static final Release RELEASE =
      new Release("1.2.3", Instant.ofEpochSecond(1_700_000_000), "linux", "x86_64");

  @TempDir Path folder;

  @Test
  void itNamesEachLibraryWithHashAndLicenseAndTheRuntime() throws IOException {
    List<Library> libraries = Library.of(Path.of(".."), Product.SERVER);
    JsonNode bill = bill(libraries);
    assertThat(bill.path("components").size()).isEqualTo(libraries.size() + 1);
    for (JsonNode component : bill.path("components")) {
      if (component.path("type").asString().equals("library")) {
        assertThat(component.path("purl").asString()).startsWith("pkg:maven/");
        assertThat(component.path("hashes").path(0).path("content").asString()).hasSize(64);
        assertThat(component.path("licenses").size())
            .as(component.path("name").asString())
            .isPositive();
      } else {
        assertThat(component.path("name").asString()).isEqualTo("OpenJDK");
      }
    }
  }

  @Test
  void theSameContentsHaveTheSameNumberAndOthersAnother() throws IOException {
    List<Library> libraries = Library.of(Path.of(".."), Product.AGENT);
    String number = bill(libraries).path("serialNumber").asString();
    assertThat(number).startsWith("urn:uuid:");
    assertThat(bill(libraries).path("serialNumber").asString()).isEqualTo(number);
    assertThat(bill(libraries.subList(1, libraries.size())).path("serialNumber").asString())
        .isNotEqualTo(number);
  }

  private JsonNode bill(List<Library> libraries) throws IOException {
    Path file = folder.resolve("bill.json");
    BillOfMaterials.write(Product.SERVER, RELEASE, libraries, file);
    return new JsonMapper().readTree(Files.readString(file));
  }
}
