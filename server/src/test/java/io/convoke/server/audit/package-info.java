@NullMarked
package io.convoke.server.audit;

import org.jspecify.annotations.NullMarked;
