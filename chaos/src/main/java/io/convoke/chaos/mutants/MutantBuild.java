package io.convoke.chaos.mutants;

import io.convoke.chaos.mutants.Mutant.SourceEdit;
import io.convoke.simulator.process.ClassPaths;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles the changed sources of a mutant against the built product, into a folder of their own.
 */
public final class MutantBuild {
  private static final String SOURCES = "src/main/java/";
  private static final String RESOURCES = "src/main/resources/";

  private MutantBuild() {}

  /**
   * Builds a mutant.
   *
   * @param home the folder of {@code ./convoke}, built
   * @param folder a new one for sources and classes
   * @return the folder of classes and resources
   * @throws IllegalArgumentException if an edit does not fit its source, or the result does not
   *     compile
   */
  public static Path build(Mutant mutant, Path home, Path folder) throws IOException {
    Path classes = Files.createDirectories(folder.resolve("classes"));
    Map<String, String> texts = new LinkedHashMap<>();
    for (SourceEdit edit : mutant.edits()) {
      String before = texts.get(edit.file());
      texts.put(
          edit.file(),
          edit.apply(before == null ? Files.readString(home.resolve(edit.file())) : before));
    }
    for (Map.Entry<String, String> text : texts.entrySet()) {
      String file = text.getKey();
      boolean source = file.endsWith(".java");
      String root = file.contains(RESOURCES) ? RESOURCES : SOURCES;
      Path inside = Path.of(file.substring(file.indexOf(root) + root.length()));
      Path written = (source ? folder.resolve("sources") : classes).resolve(inside);
      Files.createDirectories(Objects.requireNonNull(written.getParent()));
      Path _ = Files.writeString(written, text.getValue());
      if (source) {
        compile(mutant, home, Path.of(file).subpath(0, 1), written, classes);
      }
    }
    return classes;
  }

  private static void compile(Mutant mutant, Path home, Path module, Path source, Path classes)
      throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  List.of(
                      "-nowarn",
                      "-proc:none",
                      "-parameters",
                      "-d",
                      classes.toString(),
                      "-cp",
                      classes
                          + System.getProperty("path.separator")
                          + ClassPaths.libraries(home, module)),
                  null,
                  files.getJavaFileObjects(source))
              .call();
      if (!compiled) {
        throw new IllegalArgumentException(mutant.label() + " does not compile:\n" + messages);
      }
    }
  }
}
