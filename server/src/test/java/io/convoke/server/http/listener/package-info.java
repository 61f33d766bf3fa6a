@NullMarked
package io.convoke.server.http.listener;

import org.jspecify.annotations.NullMarked;
