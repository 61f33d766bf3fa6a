package io.convoke.server.cli;

import io.convoke.server.Duty;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Duties by their names on the command line. */
final class DutyConverter implements ITypeConverter<Duty>, Iterable<String> {
  @Override
  public Duty convert(String text) {
    return Arrays.stream(Duty.values())
        .filter(duty -> name(duty).equals(text.trim()))
        .findFirst()
        .orElseThrow(() -> new TypeConversionException("no role '" + text + "'"));
  }

  @Override
  public Iterator<String> iterator() {
    return Arrays.stream(Duty.values()).map(DutyConverter::name).iterator();
  }

  private static String name(Duty duty) {
    return duty.name().toLowerCase(Locale.ROOT);
  }
}
