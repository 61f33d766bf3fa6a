/** The set-up of HTTP clients, shared by bots, pods and the server. */
@NullMarked
package io.convoke.agent.http;

import org.jspecify.annotations.NullMarked;
