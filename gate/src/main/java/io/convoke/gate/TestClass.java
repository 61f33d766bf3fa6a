package io.convoke.gate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A class of tests, as the build left it, or one method of a class whose methods may run side by
 * side.
 *
 * @param module the folder of its module
 * @param name the full name of the class
 * @param method the one method; empty for all of the class
 * @param tags JUnit's tags on the class or the method itself; inherited ones do not count here
 */
record TestClass(String module, String name, String method, Set<String> tags) {
  /** The tag of a class or a method for {@code ./convoke test --all}. */
  static final String NIGHTLY = "nightly";

  /** The tag of what takes pictures for the documentation and tests nothing. */
  static final String PICTURES = "pictures";

  /** The tag of a class that keeps a processor busy; few of them run side by side. */
  static final String HEAVY = "heavy";

  /** The tag of a class whose methods are scheduled one by one. */
  private static final String SPLIT = "split";

  private static final String TAGS = "Lorg/junit/jupiter/api/Tags;";
  private static final String TAG = "Lorg/junit/jupiter/api/Tag;";

  String simpleName() {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  boolean isHeavy() {
    return tags.contains(HEAVY);
  }

  /** As {@code --only} takes it. */
  String shortName() {
    return method.isEmpty() ? simpleName() : simpleName() + '#' + method;
  }

  /** The test classes of a module: concrete, at the top level, named {@code *Test}. */
  static List<TestClass> of(Path root, String module) {
    Path folder = root.resolve(module).resolve("target/test-classes");
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith("Test.class"))
          .filter(file -> !file.toString().contains("$"))
          .sorted()
          .flatMap(file -> read(module, file).stream())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + folder, e);
    }
  }

  private static List<TestClass> read(String module, Path file) {
    ClassModel model;
    try {
      model = ClassFile.of().parse(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
    if (model.flags().has(AccessFlag.ABSTRACT)) {
      return List.of();
    }
    String name = model.thisClass().asInternalName().replace('/', '.');
    Set<String> tags = tags(model).collect(Collectors.toSet());
    if (tags.contains(SPLIT)) {
      return model.methods().stream()
          .filter(method -> annotations(method).anyMatch(TestClass::isTest))
          .map(
              method ->
                  new TestClass(
                      module,
                      name,
                      method.methodName().stringValue(),
                      Stream.concat(tags.stream(), tags(method)).collect(Collectors.toSet())))
          .toList();
    }
    return List.of(new TestClass(module, name, "", tags));
  }

  private static Stream<Annotation> annotations(AttributedElement element) {
    return element.findAttribute(Attributes.runtimeVisibleAnnotations()).stream()
        .flatMap(found -> found.annotations().stream());
  }

  /** Whether it is a {@code @Test}, a {@code @ParameterizedTest} or a {@code @TestFactory}. */
  private static boolean isTest(Annotation annotation) {
    String type = annotation.className().stringValue();
    return type.startsWith("Lorg/junit/jupiter/")
        && (type.endsWith("Test;") || type.endsWith("/TestFactory;"));
  }

  private static Stream<String> tags(AttributedElement element) {
    return annotations(element)
        .flatMap(it -> it.className().equalsString(TAGS) ? inside(it) : Stream.of(it))
        .filter(it -> it.className().equalsString(TAG))
        .map(it -> ((AnnotationValue.OfString) it.elements().getFirst().value()).stringValue());
  }

  private static Stream<Annotation> inside(Annotation tags) {
    return tags.elements().getFirst().value() instanceof AnnotationValue.OfArray array
        ? array.values().stream()
            .filter(AnnotationValue.OfAnnotation.class::isInstance)
            .map(it -> ((AnnotationValue.OfAnnotation) it).annotation())
        : Stream.of();
  }
}
