package io.convoke.server.bots;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a bot says that it did with a command.
 *
 * @param applied names of settings; empty: it does not say
 * @param notApplied settings that it cannot change, each with the reason
 */
record CommandResult(Optional<List<String>> applied, Optional<List<SettingNotApplied>> notApplied) {
  /** Of a bot that says nothing. */
  static final CommandResult NOTHING_SAID = new CommandResult(Optional.empty(), Optional.empty());

  /** A setting that was not changed. */
  record SettingNotApplied(String setting, String reason) {}

  /** For the journal and the column. */
  Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    applied.ifPresent(names -> facts.put("applied", names));
    notApplied.ifPresent(all -> facts.put("not_applied", all));
    return facts;
  }
}
