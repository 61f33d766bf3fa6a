package io.convoke.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import io.convoke.engine.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** One JSON object a line: at, level, logger, thread, message, the record's own keys, stack. */
final class JsonLogFormat extends EncoderBase<ILoggingEvent> {
  @Override
  public byte[] encode(ILoggingEvent event) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("at", Json.time(event.getInstant()));
    line.put("level", event.getLevel().toString());
    line.put("logger", event.getLoggerName());
    line.put("thread", event.getThreadName());
    line.put("message", String.valueOf(event.getFormattedMessage()));
    event.getMDCPropertyMap().forEach(line::putIfAbsent);
    if (event.getKeyValuePairs() != null) {
      event
          .getKeyValuePairs()
          .forEach(pair -> line.putIfAbsent(pair.key, String.valueOf(pair.value)));
    }
    if (event.getThrowableProxy() != null) {
      line.put("stack", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    return (Json.write(line) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] headerBytes() {
    return new byte[0];
  }

  @Override
  public byte[] footerBytes() {
    return new byte[0];
  }
}
