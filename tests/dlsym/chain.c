/* Prints what the libraries of a chain find after themselves. */
#include <stdio.h>

int chain_value(void);
int chain_missing(void);

int main(void) {
  printf("value=%d value=%d missing=%d\n", chain_value(), chain_value(), chain_missing());
  return 0;
}
