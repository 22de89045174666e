/* The plugin's log: JSON Lines, a record in one write. */
#ifndef WINORD_PLUGIN_LOG_H
#define WINORD_PLUGIN_LOG_H

/* Appends a line, or does nothing without a path. The format leaves out the newline. Any thread; errors are ignored. */
__attribute__((format(printf, 2, 3))) void log_record(const char *path, const char *format, ...);

/* One line on stderr, with the plugin's name. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

#endif
