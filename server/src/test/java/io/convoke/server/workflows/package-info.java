@NullMarked
package io.convoke.server.workflows;

import org.jspecify.annotations.NullMarked;
