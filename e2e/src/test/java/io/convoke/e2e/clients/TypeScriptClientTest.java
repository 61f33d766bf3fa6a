package io.convoke.e2e.clients;

import io.convoke.e2e.build.ProjectCopy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The TypeScript package, as npm packs it, in a project that installs the pack. */
final class TypeScriptClientTest extends ClientContract {
  private static final String NEEDED = "if (parseInt(process.versions.node) < 20) process.exit(1)";
  private static final Pattern INTERFACE =
      Pattern.compile("export interface (\\w+)(?: extends (\\w+))? \\{(.*?)\n}", Pattern.DOTALL);
  private static final Pattern FIELD = Pattern.compile("\n {4}(\\w+)\\??:");

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
    Path sources = folder.resolve("clients/typescript");
    Path project = folder.resolve("project");
    skipUnless(runs(sources, "npm", "ci", "--no-audit", "--no-fund"), "npm and its registry");
    String _ = npm(sources, "exec", "--", "tsc", "-p", "tsconfig.test.json");
    String pack = npm(sources, "pack", "--silent").strip();
    String _ = npm(project, "install", "--no-audit", "--no-fund", sources.resolve(pack).toString());
    String _ = npm(project, "run", "build");
    Path installed = project.resolve("node_modules/@convoke/client/dist");
    return new ClientPackage(
        sources,
        models(Files.readString(installed.resolve("models.d.ts"))),
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

  private static Map<String, Set<String>> models(String declarations) {
    Map<String, Set<String>> models = new TreeMap<>();
    Matcher type = INTERFACE.matcher(declarations);
    while (type.find()) {
      Set<String> fields =
          new TreeSet<>(models.getOrDefault(String.valueOf(type.group(2)), Set.of()));
      Matcher field = FIELD.matcher(type.group(3));
      while (field.find()) {
        boolean _ = fields.add(field.group(1));
      }
      Set<String> _ = models.put(type.group(1), fields);
    }
    return models;
  }
}
