/* The end of a chain that is followed by RTLD_NEXT. */
int chain_value(void);
int other_value(void);

int chain_value(void) { return 1; }

int other_value(void) { return 2; }
