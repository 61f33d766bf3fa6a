package io.convoke.server.launch.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.launch.ScriptedBot;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The documented network policy: it is about our pods, and closes what it says. */
class NetworkPolicyTest {
  private static final String POLICY = "../docs/operations/bots-network-policy.yaml";

  private final JsonNode spec = read().path("spec");

  @Test
  void itChoosesThePodsOfBots() {
    KubernetesConfig terms =
        KubernetesConfig.of(
            ServerConfig.of(
                Map.of(
                    "CONVOKE_BOT_LAUNCHER", "kubernetes",
                    "CONVOKE_BOT_IMAGE", "bot:1",
                    "CONVOKE_BOT_CALLBACK_URL", "http://convoke.example.org",
                    "CONVOKE_KUBERNETES_URL", "https://k8s.example.org")));
    Map<String, String> labels = new TreeMap<>();
    PodManifests.pod(terms, ScriptedBot.POLITE.spec(1))
        .path("metadata")
        .path("labels")
        .properties()
        .forEach(label -> labels.put(label.getKey(), label.getValue().asString()));
    JsonNode chosen = spec.path("podSelector").path("matchLabels");
    assertThat(chosen.isEmpty()).as("not every pod of the namespace").isFalse();
    chosen
        .properties()
        .forEach(
            label -> assertThat(labels).containsEntry(label.getKey(), label.getValue().asString()));
    assertThat(spec.path("policyTypes").toString()).isEqualTo("[\"Ingress\",\"Egress\"]");
    assertThat(spec.path("ingress").isEmpty()).isTrue();
  }

  @Test
  void addressesOfOurOwnNetworksAreClosedAndMeetingsAreOpen() throws Exception {
    for (String closed :
        new String[] {
          "169.254.169.254",
          "10.0.0.5",
          "172.16.0.1",
          "172.31.255.255",
          "192.168.1.1",
          "127.0.0.1",
          "100.64.0.1",
          "0.0.0.0",
          "224.0.0.1",
          "255.255.255.255",
          "fd00:ec2::254",
          "fe80::1",
          "::1",
          "64:ff9b::a9fe:a9fe",
          "2002:a9fe:a9fe::1",
          "ff02::1",
        }) {
      assertThat(open(closed)).as(closed).isFalse();
    }
    for (String open :
        new String[] {"8.8.8.8", "172.32.0.1", "100.128.0.1", "193.0.0.1", "2a00:1450:4001::1"}) {
      assertThat(open(open)).as(open).isTrue();
    }
  }

  @Test
  void namesAndCallbacksAreOpenToTheirPodsAndPortsAlone() {
    for (JsonNode rule : spec.path("egress")) {
      for (JsonNode peer : rule.path("to")) {
        if (!peer.has("ipBlock")) {
          assertThat(peer.path("namespaceSelector").path("matchLabels").isEmpty()).isFalse();
          assertThat(peer.path("podSelector").path("matchLabels").isEmpty()).isFalse();
          assertThat(rule.path("ports").isEmpty()).isFalse();
        }
      }
      assertThat(rule.path("to").isEmpty()).as("a rule without peers is for all").isFalse();
    }
  }

  private boolean open(String address) throws IOException {
    for (JsonNode rule : spec.path("egress")) {
      for (JsonNode peer : rule.path("to")) {
        JsonNode block = peer.path("ipBlock");
        if (block.has("cidr") && in(address, block.path("cidr").asString())) {
          boolean excepted = false;
          for (JsonNode except : block.path("except")) {
            excepted |= in(address, except.asString());
          }
          if (!excepted) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private static boolean in(String address, String cidr) throws IOException {
    String[] parts = cidr.split("/", 2);
    byte[] one = InetAddress.getByName(address).getAddress();
    byte[] other = InetAddress.getByName(parts[0]).getAddress();
    int shift = one.length * 8 - Integer.parseInt(parts[1]);
    return one.length == other.length
        && new BigInteger(1, one)
            .shiftRight(shift)
            .equals(new BigInteger(1, other).shiftRight(shift));
  }

  private static JsonNode read() {
    try {

      return new YAMLMapper().readTree(Files.readString(Path.of(POLICY)));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
