package io.convoke.server.crm;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.convoke.fakes.crm.FakeCrm;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * HubSpot's own client for Node reads the stand-in: its calls are answered, and the answers have
 * the types that it declares.
 */
class HubSpotClientTest {
  private static final String TOKEN = "the-token";
  private static final String NPM = "npm has no @hubspot/api-client here: no npm, or no registry";

  @TempDir private static Path folder;

  @Test
  @Tag("nightly")
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void theOfficialClientFindsTheTypesItDeclares() throws Exception {
    Assumptions.assumeTrue(installed(), NPM);
    try (FakeCrm crm = new FakeCrm(TOKEN)) {
      String ada = crm.hubSpot().records().contact("ada@example.org");
      String company = crm.hubSpot().records().company(ada);
      String eve = crm.hubSpot().records().owner("eve@example.org");
      ProcessBuilder node = new ProcessBuilder("node", "read.js").directory(folder.toFile());
      node.environment().put("TOKEN", TOKEN);
      node.environment().put("URL", crm.hubSpotUrl().toString());
      node.environment().put("CONTACT", ada);
      JsonNode calls = Json.read(output(node));

      assertThat(calls.valueStream().flatMap(call -> call.path("wrong").valueStream())).isEmpty();
      assertThat(calls.propertyNames()).hasSize(11);
      assertThat(calls.at("/upsert/value/results/0/_new").asBoolean()).isTrue();
      assertThat(calls.at("/upsertAgain/value/results/0/_new").asBoolean()).isFalse();
      assertThat(calls.at("/upsertAgain/value/results/0/id"))
          .isEqualTo(calls.at("/upsert/value/results/0/id"));
      assertThat(calls.at("/upsertWrong/value/errors/0/message").asString()).contains("nonsense");
      assertThat(calls.at("/search/value/total").asInt()).isEqualTo(1);
      assertThat(calls.at("/search/value/results/0/id"))
          .isEqualTo(calls.at("/create/value/id"))
          .isEqualTo(calls.at("/read/value/results/0/id"));
      assertThat(calls.at("/associated/value/results/0/to/0/toObjectId").asString())
          .isEqualTo(company);
      assertThat(calls.at("/owners/value/results/0/id").asString()).isEqualTo(eve);
      assertThat(crm.hubSpot().records().timelines(calls.at("/createMeeting/value/id").asString()))
          .containsExactly("contacts:" + calls.at("/create/value/id").asString());
    }
  }

  private static boolean installed() throws IOException, InterruptedException {
    for (String file : List.of("package.json", "read.js")) {
      try (InputStream in =
          Objects.requireNonNull(HubSpotClientTest.class.getResourceAsStream("hubspot/" + file))) {
        long _ = Files.copy(in, folder.resolve(file));
      }
    }
    try {
      Process npm =
          new ProcessBuilder("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts")
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("npm.log").toFile())
              .start();
      if (!npm.waitFor(5, TimeUnit.MINUTES)) {
        npm.destroyForcibly();
        return false;
      }
      return npm.exitValue() == 0;
    } catch (IOException noNpm) {
      return false;
    }
  }

  private static String output(ProcessBuilder builder) throws IOException, InterruptedException {
    Path errors = folder.resolve("node.log");
    Process process = builder.redirectError(errors.toFile()).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(Files.readString(errors)).isZero();
    return printed;
  }
}
