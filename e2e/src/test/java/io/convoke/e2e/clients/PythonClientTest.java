package io.convoke.e2e.clients;

import io.convoke.e2e.build.ProjectCopy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The Python package, as a wheel in a fresh virtual environment. */
final class PythonClientTest extends ClientContract {
  private static final String NEEDED =
      "import sys, venv, ensurepip; assert sys.version_info >= (3, 11)";

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
}
