package io.convoke.server.cli;

import io.convoke.server.NodeRole;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Duties by their names on the command line. */
final class NodeRoleConverter implements ITypeConverter<NodeRole>, Iterable<String> {
  @Override
  public NodeRole convert(String text) {
    return Arrays.stream(NodeRole.values())
        .filter(nodeRole -> name(nodeRole).equals(text.trim()))
        .findFirst()
        .orElseThrow(() -> new TypeConversionException("no role '" + text + "'"));
  }

  @Override
  public Iterator<String> iterator() {
    return Arrays.stream(NodeRole.values()).map(NodeRoleConverter::name).iterator();
  }

  private static String name(NodeRole nodeRole) {
    return nodeRole.name().toLowerCase(Locale.ROOT);
  }
}
