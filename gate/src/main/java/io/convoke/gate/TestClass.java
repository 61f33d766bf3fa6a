package io.convoke.gate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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
 * @param longest the longest that one of its methods says that it may take; zero if none says so
 */
record TestClass(String module, String name, String method, Set<String> tags, Duration longest) {
  /** The tag of a class or a method for {@code ./convoke test --all}. */
  static final String NIGHTLY = "nightly";

  /** The tag of what takes pictures for the documentation and tests nothing. */
  static final String PICTURES = "pictures";

  /** The tag of a class that keeps a processor busy; few of them run side by side. */
  static final String HEAVY = "heavy";

  /** The tag of what measures how quickly servers answer; nothing runs beside it. */
  static final String ALONE = "alone";

  /** The tag of a class whose methods are scheduled one by one. */
  private static final String SPLIT = "split";

  private static final String TAGS = "Lorg/junit/jupiter/api/Tags;";
  private static final String TAG = "Lorg/junit/jupiter/api/Tag;";
  private static final String TIMEOUT = "Lorg/junit/jupiter/api/Timeout;";

  String simpleName() {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  boolean isHeavy() {
    return tags.contains(HEAVY);
  }

  boolean isAlone() {
    return tags.contains(ALONE);
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
                      Stream.concat(tags.stream(), tags(method)).collect(Collectors.toSet()),
                      longest(Stream.of(model, method))))
          .toList();
    }
    return List.of(
        new TestClass(
            module,
            name,
            "",
            tags,
            longest(Stream.concat(Stream.of(model), model.methods().stream()))));
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

  /** The longest {@code @Timeout} of them. */
  private static Duration longest(Stream<AttributedElement> elements) {
    return elements
        .flatMap(TestClass::annotations)
        .filter(it -> it.className().equalsString(TIMEOUT))
        .map(TestClass::timeout)
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  private static Duration timeout(Annotation annotation) {
    long value = 0;
    TimeUnit unit = TimeUnit.SECONDS;
    for (AnnotationElement element : annotation.elements()) {
      switch (element.value()) {
        case AnnotationValue.OfLong number -> value = number.longValue();
        case AnnotationValue.OfEnum constant when element.name().equalsString("unit") ->
            unit = TimeUnit.valueOf(constant.constantName().stringValue());
        case AnnotationValue _ -> {}
      }
    }
    return Duration.of(value, unit.toChronoUnit());
  }

  private static Stream<Annotation> inside(Annotation tags) {
    return tags.elements().getFirst().value() instanceof AnnotationValue.OfArray array
        ? array.values().stream()
            .filter(AnnotationValue.OfAnnotation.class::isInstance)
            .map(it -> ((AnnotationValue.OfAnnotation) it).annotation())
        : Stream.of();
  }
}
