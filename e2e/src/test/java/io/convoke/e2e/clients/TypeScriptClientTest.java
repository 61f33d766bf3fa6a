package io.convoke.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.e2e.build.ProjectCopy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The TypeScript package, as npm packs it, in a project that installs the pack. */
final class TypeScriptClientTest extends ClientContract {
  private static final String NEEDED = "if (parseInt(process.versions.node) < 20) process.exit(1)";
  private static final List<String> GENERATED = List.of("src/schema.ts", "src/operations.ts");
  private Path sources = Path.of("");

  @Override
  ClientPackage install(Path folder) throws Exception {
    skipUnless(runs(folder, "node", "-e", NEEDED), "Node 20");
    Path home = ProjectCopy.home();
    ProjectCopy.copy(
        home.resolve("clients"), folder.resolve("clients"), TypeScriptClientTest::isSource);
    ProjectCopy.copy(
        home.resolve("examples/typescript"),
        folder.resolve("project"),
        TypeScriptClientTest::isSource);
    sources = folder.resolve("clients/typescript");
    Path project = folder.resolve("project");
    skipUnless(runs(sources, "npm", "ci", "--no-audit", "--no-fund"), "npm and its registry");
    String _ = npm(sources, "exec", "--", "tsc", "-p", "tsconfig.test.json");
    String pack = npm(sources, "pack", "--silent").strip();
    String _ = npm(project, "install", "--no-audit", "--no-fund", sources.resolve(pack).toString());
    String _ = npm(project, "run", "build");
    Path installed = project.resolve("node_modules/@convoke/client/dist");
    return new ClientPackage(
        sources,
        List.of("npm", "test"),
        List.of("node", "build/test/live.js"),
        "exec node " + installed.resolve("reference-bot.js"),
        example -> List.of("node", project.resolve("dist/" + example + ".js").toString()));
  }

  private static boolean isSource(Path file) {
    return !file.toString().matches("(.*/)?(node_modules|dist|build)/.*");
  }

  private static String npm(Path folder, String... arguments) throws Exception {
    String[] command = new String[arguments.length + 1];
    command[0] = "npm";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    return ProjectCopy.run(folder, Map.of(), command);
  }

  /** What is committed is what openapi-typescript makes of the document now. */
  @Test
  void itsTypesAreGeneratedFromTheDocument() throws Exception {
    Path home = ProjectCopy.home();
    Path reference = sources.resolve("../../docs/reference");
    Path _ = Files.createDirectories(reference);
    Path _ =
        Files.copy(
            home.resolve("docs/reference/openapi.json"),
            reference.resolve("openapi.json"),
            StandardCopyOption.REPLACE_EXISTING);
    for (String name : GENERATED) {
      Path _ = Files.writeString(sources.resolve(name), "// stale");
    }
    String _ = npm(sources, "run", "generate");
    for (String name : GENERATED) {
      assertThat(sources.resolve(name))
          .hasSameTextualContentAs(home.resolve("clients/typescript").resolve(name));
    }
  }
}
