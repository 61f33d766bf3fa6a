/** Tests of egress. */
@NullMarked
package io.convoke.server.egress;

import org.jspecify.annotations.NullMarked;
