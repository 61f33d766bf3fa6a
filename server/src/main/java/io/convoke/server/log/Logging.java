package io.convoke.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import io.convoke.server.config.Settings.LogFormat;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Sets up logging in code, so that no file on the class path decides it by accident. */
public final class Logging {
  private Logging() {}

  /** Sends everything from INFO on to standard error; standard output belongs to the commands. */
  public static void start(LogFormat format) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    Encoder<ILoggingEvent> encoder =
        switch (format) {
          case JSON -> new JsonLogFormat();
          case TEXT -> lines();
        };
    encoder.setContext(context);
    encoder.start();
    ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
    console.setContext(context);
    console.setTarget("System.err");
    console.setEncoder(encoder);
    console.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    root.addAppender(console);
    context.getLogger("io.convoke").setLevel(Level.INFO);
    // It logs a warning for every connection that both sides close.
    context.getLogger("io.lettuce.core.RedisChannelHandler").setLevel(Level.ERROR);
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
  }

  private static PatternLayoutEncoder lines() {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setPattern("%d{HH:mm:ss.SSS} %-5level %logger{0} %msg %kvp%n");
    return encoder;
  }
}
