/**
 * The listener: routes requests, runs the checks of their endpoints in order, calls the handler and
 * writes the response; also the operator's endpoints and the console's files. {@link
 * io.convoke.server.http.listener.HttpServer} wires it. No feature uses it; only the program that
 * starts the server does.
 */
@NullMarked
package io.convoke.server.http.listener;

import org.jspecify.annotations.NullMarked;
