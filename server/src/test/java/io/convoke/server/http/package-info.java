@NullMarked
package io.convoke.server.http;

import org.jspecify.annotations.NullMarked;
