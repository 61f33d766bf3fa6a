package io.convoke.server.http.connection;

import io.convoke.server.http.Caller;
import java.util.function.BooleanSupplier;

/**
 * The reader of an event stream.
 *
 * @param caller as it was authenticated when the stream was opened
 * @param welcome authenticates it again: whether it still may read
 */
public record StreamCaller(Caller caller, BooleanSupplier welcome) {}
