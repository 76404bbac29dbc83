/* The includes of the pieces of docs/c.md. */
#include <stdio.h>

#include <merklize/merklize.h>
