#ifndef PLUGIN_H
#define PLUGIN_H

/* Registers a window; the flags that NCCL got, or minus its result. */
int plugin_register(int flags);

/* The same through dlsym(RTLD_DEFAULT); -100 when that finds nothing, -101 when it leaves an error behind. */
int plugin_register_default(int flags);

/* How often the plugin's own copy of NCCL was asked to register. */
int plugin_registrations(void);

/* Creates and destroys a device communicator; how many deregistrations NCCL made of itself meanwhile, or minus its result. */
int plugin_dev_comm(void);

#endif
