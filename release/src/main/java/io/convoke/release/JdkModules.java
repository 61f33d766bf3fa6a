package io.convoke.release;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Which modules of the JDK a class path names. {@code jdeps} cannot tell: among the libraries are
 * modules whose own dependencies are not all there, and it stops at the first.
 */
final class JdkModules {
  /** Modules by package, with slashes. */
  private final Map<String, String> owners = new HashMap<>();

  JdkModules() {
    ModuleFinder.ofSystem()
        .findAll()
        .forEach(
            module ->
                module
                    .descriptor()
                    .packages()
                    .forEach(it -> owners.put(it.replace('.', '/'), module.descriptor().name())));
  }

  /** The modules that classes of these jars name. */
  Set<String> namedBy(List<Path> jars) throws IOException {
    Set<String> named = new TreeSet<>();
    for (Path jar : jars) {
      try (JarFile file = new JarFile(jar.toFile())) {
        for (JarEntry entry : Collections.list(file.entries())) {
          if (entry.getName().endsWith(".class")) {
            byte[] bytes = file.getInputStream(entry).readAllBytes();
            for (PoolEntry constant : ClassFile.of().parse(bytes).constantPool()) {
              if (constant instanceof ClassEntry type) {
                String owner = owners.get(packageOf(type.asInternalName()));
                if (owner != null) {
                  named.add(owner);
                }
              }
            }
          }
        }
      }
    }
    return named;
  }

  /** The package of a class or of an array's elements; empty if it has none. */
  private static String packageOf(String name) {
    String element = name.replaceFirst("^\\[+L?", "");
    return element.substring(0, Math.max(0, element.lastIndexOf('/')));
  }
}
