/* What the pieces of docs/c.md include. */
#include <stdio.h>

#include <merklize/merklize.h>
