package io.convoke.e2e.clients;

import io.convoke.e2e.build.ProjectCopy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The Python package, as a wheel in a fresh virtual environment. */
final class PythonClientTest extends ClientContract {
  private static final String NEEDED =
      "import sys, venv, ensurepip; assert sys.version_info >= (3, 11)";

  private static final String MODELS =
      """
      import json, typing
      from convoke import models
      print(json.dumps({name: list(typing.get_type_hints(value))
          for name, value in vars(models).items() if typing.is_typeddict(value)}))
      """;

  @Override
  ClientPackage install(Path folder) throws Exception {
    skipUnless(runs(folder, "python3", "-c", NEEDED), "Python 3.11 with venv");
    String _ = ProjectCopy.run(folder, Map.of(), "python3", "-m", "venv", "venv");
    String python = folder.resolve("venv/bin/python").toString();
    skipUnless(
        runs(folder, python, "-m", "pip", "download", "--quiet", "--no-deps", "setuptools>=77"),
        "PyPI, which has what packs it");
    Path home = ProjectCopy.home();
    Path sources = home.resolve("clients/python");
    Path copy = Files.createDirectories(folder.resolve("python"));
    ProjectCopy.copy(sources, copy, file -> !file.toString().contains("egg-info"));
    String _ = pip(folder, python, "wheel", "--no-deps", "--wheel-dir", "wheels", "./python");
    String _ =
        pip(folder, python, "install", "--no-index", "--find-links", "wheels", "convoke-client");
    return new ClientPackage(
        sources,
        models(ProjectCopy.run(folder, Map.of(), python, "-c", MODELS)),
        List.of(python, "-B", "-m", "unittest", "discover", "--top-level-directory", ".", "tests"),
        List.of(python, sources.resolve("tests/live.py").toString()),
        "exec " + python + " -m convoke.reference_bot",
        example -> List.of(python, home.resolve("examples/python/" + example + ".py").toString()));
  }

  private static String pip(Path folder, String python, String... arguments) throws Exception {
    Stream<String> command =
        Stream.concat(Stream.of(python, "-m", "pip", "--quiet"), Stream.of(arguments));
    return ProjectCopy.run(folder, Map.of(), command.toArray(String[]::new));
  }

  private static Map<String, Set<String>> models(String printed) {
    Map<String, Set<String>> models = new TreeMap<>();
    JsonMapper.builder()
        .build()
        .readTree(printed)
        .forEachEntry(
            (name, fields) ->
                models.put(
                    name, new TreeSet<>(fields.valueStream().map(JsonNode::asString).toList())));
    return models;
  }
}
