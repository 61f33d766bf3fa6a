import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The class loader of Error Prone and NullAway for all compilations of one build. javac makes a loader for each compilation, so
 * that each of the 27 of a build loads the checkers again and the JVM compiles them to machine code again: four tenths of the
 * processor time of a build.
 *
 * <p>javac finds this class by the option {@code procloader} (com.sun.tools.javac.file.BaseFileManager), and goes back to a loader
 * of its own where the class is not on its path. The function {@code maven} of {@code ./convoke} compiles it and puts it there.
 */
public final class ProcessorLoader extends ClassLoader {
  private static final Map<List<String>, ClassLoader> LOADERS = new ConcurrentHashMap<>();

  /**
   * A loader that only asks the one that the whole build shares; closing it closes nothing.
   *
   * @param path the jars of the checkers
   * @param javac the loader of the compiler
   */
  public ProcessorLoader(URL[] path, ClassLoader javac) {
    super(LOADERS.computeIfAbsent(names(path), key -> new URLClassLoader(path, javac)));
  }

  private static List<String> names(URL[] path) {
    return List.of(path).stream().map(URL::toString).toList();
  }
}
