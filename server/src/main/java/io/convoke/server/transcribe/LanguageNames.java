package io.convoke.server.transcribe;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The languages that transcribers name in English, as codes of ISO-639-1. */
final class LanguageNames {
  private static final Map<String, String> CODES = codes();

  private LanguageNames() {}

  /** The code of a name or a code; a text of another kind is returned as it is. */
  static Optional<String> code(String text) {
    String name = SegmentParser.clean(text, 50).toLowerCase(Locale.ROOT);
    return name.isEmpty() ? Optional.empty() : Optional.of(CODES.getOrDefault(name, name));
  }

  private static Map<String, String> codes() {
    Map<String, String> codes = new HashMap<>();
    for (String code : Locale.getISOLanguages()) {
      String name = Locale.of(code).getDisplayLanguage(Locale.ENGLISH).toLowerCase(Locale.ROOT);
      if (code.length() == 2) {
        String _ = codes.putIfAbsent(name, code);
      }
    }
    return Map.copyOf(codes);
  }
}
