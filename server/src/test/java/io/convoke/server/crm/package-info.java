/** Tests of what is told to CRMs. */
@NullMarked
package io.convoke.server.crm;

import org.jspecify.annotations.NullMarked;
